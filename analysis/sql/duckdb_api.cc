#include "analysis/sql/duckdb_api.h"

#include <dlfcn.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

namespace lockstep::analysis {
namespace {

constexpr const char* kInNodeModules = "node_modules/@duckdb/node-bindings-linux-x64/libduckdb.so";
constexpr const char* kHowToGetIt =
    "install it (in lockstep's source tree: scripts/install_deps.sh) or name a libduckdb.so in "
    "LOCKSTEP_DUCKDB; everything but query and the parquet export works without";

std::string directory_of_command() {
  char path[4096];
  const ssize_t n = readlink("/proc/self/exe", path, sizeof(path) - 1);
  if (n <= 0) return ".";
  const std::string command(path, static_cast<size_t>(n));
  return command.substr(0, command.rfind('/'));
}

Result<const DuckDbApi*> bind(void* library, const std::string& path) {
  static DuckDbApi api;
  const char* missing = nullptr;
  const auto find = [&](const char* name, auto* function) {
    void* address = dlsym(library, name);
    if (address == nullptr) missing = name;
    *function = reinterpret_cast<std::remove_pointer_t<decltype(function)>>(address);
  };
#define LOCKSTEP_DUCKDB_FIND(name, result, arguments) find("duckdb_" #name, &api.name);
  LOCKSTEP_DUCKDB_FUNCTIONS(LOCKSTEP_DUCKDB_FIND)
#undef LOCKSTEP_DUCKDB_FIND
  if (missing == nullptr) return &api;
  return Status::error(path + " has no " + missing +
                       "; lockstep needs DuckDB 1.2 or later, tested with 1.5");
}

Result<const DuckDbApi*> find_duckdb() {
  if (const char* named = std::getenv("LOCKSTEP_DUCKDB")) {
    void* library = dlopen(named, RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr)
      return Status::error(std::string("LOCKSTEP_DUCKDB does not name a DuckDB library: ") +
                           dlerror());
    return bind(library, named);
  }
  const std::string beside = directory_of_command();
  std::string why;  // of one that is there and cannot be loaded: dlerror() names the file
  for (const std::string& path : {beside + "/libduckdb.so", std::string("./") + kInNodeModules,
                                  beside + "/../" + kInNodeModules, std::string("libduckdb.so")}) {
    if (void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL)) return bind(library, path);
    const std::string error = dlerror();
    const bool absent = error.find(std::strerror(ENOENT)) != std::string::npos;
    if (!absent && why.empty()) why = error;
  }
  if (!why.empty()) return Status::error("the DuckDB library here cannot be loaded: " + why);
  return Status::error(std::string("there is no DuckDB library here: ") + kHowToGetIt);
}

}  // namespace

Result<const DuckDbApi*> load_duckdb() {
  static const Result<const DuckDbApi*> found = find_duckdb();
  return found;
}

}  // namespace lockstep::analysis
