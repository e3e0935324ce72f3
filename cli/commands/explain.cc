// `lockstep explain DIR OPERATION`: every stamp of one operation and how it became a time.
#include <memory>

#include "analysis/inspect/explain_operation.h"
#include "analysis/load/run.h"
#include "analysis/tables/operation_address.h"
#include "cli/commands.h"
#include "cli/show/explanation_view.h"
#include "cli/show/output.h"

namespace lockstep::cli {
namespace {

struct ExplainArguments : RunArguments {
  std::string operation;
};

int run(const ExplainArguments& arguments) {
  const auto loaded = analysis::load_run(arguments.directory, analysis::LoadOptions());
  if (!loaded.ok()) return bad_input(loaded.message());
  const analysis::RunTables& tables = *loaded.value();
  for (const std::string& note : tables.notes) complain(note);
  const auto found = analysis::find_operation(tables, arguments.operation);
  if (!found.ok()) return bad_usage(found.message());
  const auto explained = analysis::explain_operation(arguments.directory, tables, found.value());
  if (!explained.ok()) return bad_input(explained.message());
  if (arguments.json) {
    print_json(explanation_json(explained.value()));
  } else {
    print(explanation_text(explained.value()));
  }
  return with_damage(kOk, tables.damage);
}

}  // namespace

void add_explain(base::Command& lockstep) {
  const auto arguments = std::make_shared<ExplainArguments>();
  base::Command command = add_run_command(
      lockstep, "explain",
      "Show every stamp of one operation, on which clock it was made, how it became "
      "a time that hosts share, and how exact that is",
      arguments, run);
  command
      .option(
          "OPERATION", &arguments->operation,
          "FUNC#ORDINAL@COMM:RANK, as in AllReduce#39@world:2 and Send/3#7@world:2 (to rank 3), "
          "or its event id")
      .required();
}

}  // namespace lockstep::cli
