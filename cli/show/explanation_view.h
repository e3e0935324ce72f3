// One operation explained (analysis/inspect/explain_operation.h), for people and for programs.
#pragma once

#include <string>

#include "analysis/inspect/explain_operation.h"

namespace lockstep::cli {

std::string explanation_text(const analysis::OperationExplained& explained);
std::string explanation_json(const analysis::OperationExplained& explained);

}  // namespace lockstep::cli
