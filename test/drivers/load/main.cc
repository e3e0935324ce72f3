// lockstep-load PLUGIN [LIBRARY...]: loads the libraries and then the plugin the way NCCL does,
// prints the tables found and what else of interest is mapped into the process. Exit 1 when
// something cannot be loaded or no table is there.
#include <dlfcn.h>

#include <cstdio>
#include <string>

namespace {

int count_tables(void* plugin) {
  int found = 0;
  for (int version = 1; version <= 7; ++version) {
    const std::string name = "ncclProfiler_v" + std::to_string(version);
    const auto* table = static_cast<const char* const*>(dlsym(plugin, name.c_str()));
    if (table == nullptr) continue;
    std::printf("%s is '%s'\n", name.c_str(), *table);  // every table begins with the plugin's name
    ++found;
  }
  return found;
}

bool load(const char* path, void** library) {
  *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (*library == nullptr) std::printf("cannot load %s: %s\n", path, dlerror());
  return *library != nullptr;
}

void print_nccl_version(void* library) {
  using GetVersion = int (*)(int*);
  const auto get_version = reinterpret_cast<GetVersion>(dlsym(library, "ncclGetVersion"));
  int version = 0;
  if (get_version != nullptr && get_version(&version) == 0)
    std::printf("beside NCCL %d\n", version);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  for (int i = 2; i < argc; ++i) {
    void* library = nullptr;
    if (!load(argv[i], &library)) return 1;
    print_nccl_version(library);
  }
  void* plugin = nullptr;
  if (!load(argv[1], &plugin)) return 1;
  const int tables = count_tables(plugin);
  dlclose(plugin);
  return tables == 7 ? 0 : 1;
}
