#include "plugin/gpu/gpu_identity.h"

#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>

namespace lockstep::plugin {

std::string uuid_text(const GpuUuid& uuid) {
  std::string text;
  for (int i = 0; i < 16; ++i) {
    char byte[3];
    std::snprintf(byte, sizeof byte, "%02x", uuid.bytes[i]);
    if (i == 4 || i == 6 || i == 8 || i == 10) text += '-';
    text += byte;
  }
  return text;
}

dumper::GpuName current_gpu() {
  using GetDevice = int (*)(int*);
  using GetUuid = int (*)(GpuUuid*, int);
  void* cuda = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_NOLOAD);
  if (cuda != nullptr) {
    const auto get_device = reinterpret_cast<GetDevice>(dlsym(cuda, "cuCtxGetDevice"));
    const auto get_uuid = reinterpret_cast<GetUuid>(dlsym(cuda, "cuDeviceGetUuid"));
    int device = -1;
    GpuUuid uuid{};
    const bool known = get_device != nullptr && get_uuid != nullptr && get_device(&device) == 0 &&
                       get_uuid(&uuid, device) == 0;
    dlclose(cuda);
    if (known) return {"GPU" + std::to_string(device), uuid_text(uuid)};
  }
  for (const char* name : {"SLURM_LOCALID", "OMPI_COMM_WORLD_LOCAL_RANK", "LOCAL_RANK"}) {
    const char* value = getenv(name);
    if (value != nullptr && value[0] != '\0')
      return {"GPU" + std::to_string(std::strtoul(value, nullptr, 10)), ""};
  }
  return {"unknown", ""};
}

}  // namespace lockstep::plugin
