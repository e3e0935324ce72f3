// Whether this process wants us at all. NCCL loads a library of the name libnccl-profiler.so by its
// mere presence on the loader path, so without a clear word from the user the plugin stays inert:
// mask 0, no thread, no file.
#pragma once

namespace lockstep::plugin {

// LOCKSTEP_ENABLE=0 wins over everything; else LOCKSTEP_ENABLE=1, NCCL_INSPECTOR_ENABLE=1, or
// NCCL_PROFILER_PLUGIN naming this very library by path, file name or short name. Reads the
// environment and this library's own path only.
bool is_enabled();

// The part of is_enabled() that can be tested without loading: does the value of
// NCCL_PROFILER_PLUGIN name `own_path`?
bool names_library(const char* value, const char* own_path);

}  // namespace lockstep::plugin
