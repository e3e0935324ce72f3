// The rows that agents send for `ps`, `nodes`, `progress` and `stacks`, as the commands show them: whatever they
// say, there is some text, and the rows of `progress` that a program gets have the same communicators.
#include <cstdint>
#include <cstdlib>
#include <string>

#include "cli/live/node_table.h"
#include "cli/live/process_table.h"
#include "cli/live/short_findings.h"
#include "cli/live/stacks_view.h"
#include "cli/live/standings.h"
#include "live/places/stack_row.h"
#include "live/places/stack_tree.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace lockstep;
  constexpr size_t kMostLines = 40;
  const std::string rows(reinterpret_cast<const char*>(data), size);
  static_cast<void>(cli::process_table(rows));
  static_cast<void>(cli::process_tree(rows));
  static_cast<void>(cli::node_list(rows, {}));
  const auto comms = cli::standings_of(rows);
  if (cli::standings_text(comms, kMostLines).empty()) std::abort();
  if (cli::standings_of(cli::standings_json(comms)).size() != comms.size()) std::abort();
  static_cast<void>(cli::short_findings(comms, 0));
  const auto stacks = live::rows_of_json(rows);
  if (!stacks.ok()) return 0;
  static_cast<void>(cli::stacks_text(stacks.value(), live::merge(stacks.value())));
  return 0;
}
