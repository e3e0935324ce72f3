#include "plugin/process/host_library.h"

#include <dlfcn.h>

namespace lockstep::plugin {
namespace {

constexpr size_t kLongestFile = 255;  // of the file's name that is kept

// Exported by RCCL and by no NCCL. They tell where the file's name does not: RCCL inside another
// library, or under NCCL's name.
constexpr const char* kOnlyInRccl[] = {"ncclAllToAllv", "mscclLoadAlgo"};

bool is_named_rccl(const std::string& path) {
  return path.compare(path.rfind('/') + 1, 7, "librccl") == 0;
}

// A library that is loaded: its handle for dlsym, given back at the end.
class LoadedLibrary {
 public:
  explicit LoadedLibrary(const char* path) : handle_(dlopen(path, RTLD_LAZY | RTLD_NOLOAD)) {}
  ~LoadedLibrary() {
    if (handle_ != nullptr) dlclose(handle_);
  }
  LoadedLibrary(const LoadedLibrary&) = delete;
  LoadedLibrary& operator=(const LoadedLibrary&) = delete;

  // Of the program itself there is no handle: then whatever the process shows to everybody.
  void* symbol(const char* name) const {
    return dlsym(handle_ != nullptr ? handle_ : RTLD_DEFAULT, name);
  }

 private:
  void* handle_;
};

uint32_t version_in(const LoadedLibrary& library) {
  using GetVersion = int (*)(int*);
  const auto get_version = reinterpret_cast<GetVersion>(library.symbol("ncclGetVersion"));
  int version = 0;
  if (get_version == nullptr || get_version(&version) != 0 || version < 0) return 0;
  return static_cast<uint32_t>(version);
}

HostLibrary describe(const char* path) {
  const LoadedLibrary loaded(path);
  HostLibrary found;
  found.file = std::string(path).substr(0, kLongestFile);
  found.version = version_in(loaded);
  bool rccl = is_named_rccl(path);
  for (const char* name : kOnlyInRccl) rccl = rccl || loaded.symbol(name) != nullptr;
  if (rccl) found.library = abi::Library::Rccl;
  return found;
}

}  // namespace

HostLibrary find_host_library(const std::vector<const void*>& addresses) {
  HostLibrary best;
  for (const void* address : addresses) {
    Dl_info info{};
    if (address == nullptr || dladdr(address, &info) == 0 || info.dli_fname == nullptr) continue;
    HostLibrary found = describe(info.dli_fname);
    if (found.version != 0 || found.library != abi::Library::Nccl) return found;
    if (best.file.empty()) best = std::move(found);
  }
  return best;
}

}  // namespace lockstep::plugin
