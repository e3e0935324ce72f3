// `lockstep agent` and no other command: little enough to be built with sanitizers (.ci/run). Arguments as
// those of `lockstep`, from the word `agent` on.
#include "cli/commands.h"

int main(int argc, char** argv) {
  lockstep::base::Program program("lockstep agent, alone.", "lockstep-agent");
  lockstep::cli::add_agent(program);
  const auto wrong = program.parse(argc, argv);
  return wrong ? *wrong : program.run();
}
