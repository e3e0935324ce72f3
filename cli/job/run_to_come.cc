#include "cli/job/run_to_come.h"

#include <algorithm>
#include <filesystem>
#include <iterator>

#include "cli/job/run_rows.h"
#include "dumper/run/run_directory.h"
#include "dumper/run/run_files.h"
#include "live/local/local_processes.h"
#include "live/serve/awaited.h"

namespace lockstep::cli {
namespace {

bool is_own_folder(const std::filesystem::directory_entry& entry) {
  std::error_code error;
  const std::string name = entry.path().filename().string();
  const auto reserved = std::begin(dumper::kReservedFolders),
             end = std::end(dumper::kReservedFolders);
  return entry.is_directory(error) && (name == "pyramid" || std::find(reserved, end, name) != end);
}

// A process that records and has written nothing yet; its memory may be that of another host, which nobody sees here.
bool is_of_a_process(const std::filesystem::directory_entry& entry) {
  const std::string kind = entry.path().extension().string();
  return kind == ".arena" || kind == ".ctl" || dumper::is_host_directory(entry.path().string());
}

}  // namespace

bool may_be_filled(const std::string& directory) {
  std::error_code error;
  const std::filesystem::directory_iterator entries(directory, error);
  if (error) return false;
  return is_run_directory(directory) ||
         std::all_of(begin(entries), end(entries), [](const auto& entry) {
           return is_own_folder(entry) || is_of_a_process(entry);
         });
}

std::string why_no_records(const std::string& directory) {
  const bool left = !dumper::find_arenas(directory).empty();
  if (!left || !live::local_processes({"", {directory}}).empty()) return serve::kNoRecords;
  return "no records yet, and the processes that held some in memory here are gone: `lockstep "
         "recover` writes down what they left";
}

}  // namespace lockstep::cli
