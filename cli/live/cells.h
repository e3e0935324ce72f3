// Cells of tables whose numbers hosts may not have told: `-` where one is not known. Pure functions.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace lockstep::cli {

std::string number_cell(std::optional<uint64_t> number);
std::string bytes_cell(std::optional<uint64_t> bytes);
std::string duration_cell(std::optional<int64_t> ns);

}  // namespace lockstep::cli
