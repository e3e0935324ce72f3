// `lockstep collect LOCAL --to DIR`: the recordings of this node, from its own disk into the run
// directory that all nodes see.
#include <filesystem>
#include <memory>

#include "analysis/recover.h"
#include "cli/commands.h"
#include "cli/file_move.h"
#include "cli/output.h"

namespace lockstep::cli {
namespace {

namespace fs = std::filesystem;

struct Arguments {
  std::string local, directory;
};

// What killed processes left first: it becomes segments beside the others.
Status recover_here(const std::string& local) {
  const auto recovered = dumper::recover_run(local);
  if (!recovered.ok()) return recovered.status();
  for (const dumper::RecoveredProcess& process : recovered.value()) {
    using Outcome = dumper::RecoveredProcess::Outcome;
    if (process.outcome == Outcome::Running || process.outcome == Outcome::Failed)
      return Status::error(process.sentence + "; nothing was collected");
  }
  return {};
}

bool is_recording(const fs::path& path) {
  const std::string suffix = path.extension().string();
  return suffix == ".lks" || suffix == ".clock";
}

int run(const Arguments& arguments) {
  const Status recovered = recover_here(arguments.local);
  if (!recovered.ok()) return bad_input(recovered.message());
  std::error_code error;
  fs::create_directories(arguments.directory, error);
  std::vector<fs::path> files, sockets;
  for (const auto& entry : fs::directory_iterator(arguments.local, error)) {
    if (is_recording(entry.path())) files.push_back(entry.path());
    if (entry.path().extension() == ".ctl") sockets.push_back(entry.path());
  }
  if (error) return bad_input(arguments.local + ": " + error.message());
  uint64_t bytes = 0;
  for (const fs::path& file : files) {
    const auto moved =
        move_file(file.string(), arguments.directory + "/" + file.filename().string());
    if (!moved.ok()) return bad_input(moved.message());
    bytes += moved.value();
  }
  for (const fs::path& socket : sockets) fs::remove(socket, error);
  fs::remove(arguments.local, error);  // when nothing else is in it
  print(std::to_string(files.size()) + " files, " + std::to_string(bytes) + " bytes copied to " +
        arguments.directory + "\n");
  return kOk;
}

}  // namespace

void add_collect(CLI::App& app, int& exit_code) {
  const auto arguments = std::make_shared<Arguments>();
  CLI::App* command = add_command(app, exit_code, "collect",
                                  "Move this node's recordings from its own disk to the others'",
                                  [arguments] { return run(*arguments); });
  command->add_option("LOCAL", arguments->local, "What LOCKSTEP_DIR named on this node")
      ->required();
  command->add_option("--to", arguments->directory, "The run directory on a common file system")
      ->required()
      ->type_name("DIR");
}

}  // namespace lockstep::cli
