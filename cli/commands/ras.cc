// `lockstep ras [HOST:PORT]`: asks NCCL's RAS service, once.
#include <cstdlib>
#include <memory>
#include <string>

#include "base/clock_ns.h"
#include "base/json.h"
#include "cli/commands.h"
#include "cli/live/ras_text.h"
#include "cli/show/output.h"
#include "live/ras/ras_client.h"

namespace lockstep::cli {
namespace {

struct RasArguments {
  std::string address;
  bool json = false;
  double timeout_s = 15;  // NCCL's own limit for all of its processes is 10 s
};

std::string default_address() {
  const char* given = std::getenv("NCCL_RAS_ADDR");
  return given != nullptr && *given != '\0' ? given : live::kRasAddress;
}

void print_as_json(const std::string& address, const live::RasReport& report,
                   const std::string& answer) {
  JsonFields out;
  out.object([&] {
    out.string("address", address);
    out.boolean("repaired", report.repaired);
    out.raw("report", report.repaired ? live::with_missing_commas(answer) : answer);
  });
  print_json(out.text());
}

int run(const RasArguments& arguments) {
  const std::string where = arguments.address.empty() ? default_address() : arguments.address;
  const auto address = live::parse_ras_address(where);
  if (!address.ok()) return bad_usage(address.message());
  live::RasTerms terms;
  terms.deadline_ns = mono_now_ns() + static_cast<int64_t>(arguments.timeout_s * 1e9);
  const auto answer = live::ask_ras(address.value(), terms);
  if (!answer.ok()) return bad_input(answer.message());
  const auto report = live::parse_ras_report(answer.value());
  if (!report.ok()) return bad_input(report.message());
  if (arguments.json)
    print_as_json(where, report.value(), answer.value());
  else
    print(ras_text(report.value()));
  return all_well(report.value()) ? kOk : kFinding;
}

}  // namespace

void add_ras(base::Command& lockstep) {
  const auto arguments = std::make_shared<RasArguments>();
  base::Command command = lockstep.command(
      "ras", "Ask NCCL's own RAS service which ranks answer, and what each has launched",
      [arguments] { return run(*arguments); });
  command
      .option("address", &arguments->address,
              "Where it listens; default NCCL_RAS_ADDR, else localhost:28028")
      .shown_as("HOST:PORT");
  command.flag("--json", &arguments->json, "Print JSON");
  command.option("--timeout", &arguments->timeout_s, "Wait no longer than this")
      .between(0.1, 3600.0)
      .shown_as("SECONDS");
}

}  // namespace lockstep::cli
