// What NCCL's RAS service answers, or whoever else listens at its port: read, with and without the commas
// that NCCL 2.28 forgets, and shown. A report that is whole is read the same way after they were looked for.
#include <cstdint>
#include <cstdlib>
#include <string>

#include "cli/live/ras_text.h"
#include "live/ras/ras_client.h"
#include "live/ras/ras_report.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace lockstep::live;
  namespace cli = lockstep::cli;
  const std::string text(reinterpret_cast<const char*>(data), size);
  static_cast<void>(parse_ras_address(text));
  const auto report = parse_ras_report(text);
  const std::string mended = with_missing_commas(text);
  if (mended.size() < text.size()) std::abort();
  const auto again = parse_ras_report(mended);
  if (report.ok() != again.ok()) std::abort();
  if (report.ok()) {
    static_cast<void>(cli::ras_text(report.value()));
    static_cast<void>(cli::all_well(report.value()));
  }
  if (report.ok() && report.value().communicators.size() != again.value().communicators.size())
    std::abort();
  return 0;
}
