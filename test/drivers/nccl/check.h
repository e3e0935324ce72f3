// Turns a failed CUDA or NCCL call into the sentence that the calling function returns.
#pragma once

#include <cuda_runtime.h>
#include <nccl.h>

#include <string>

#include "lockstep/status.h"

namespace lockstep::driver {

inline Status cuda_failed(const char* call, cudaError_t error) {
  return Status::error(std::string(call) + " failed: " + cudaGetErrorString(error));
}
inline Status nccl_failed(const char* call, ncclResult_t error) {
  return Status::error(std::string(call) + " failed: " + ncclGetErrorString(error) +
                       "; set NCCL_DEBUG=INFO to see why");
}

}  // namespace lockstep::driver

#define CHECK_CUDA(call)                                                          \
  do {                                                                            \
    const cudaError_t error = (call);                                             \
    if (error != cudaSuccess) return lockstep::driver::cuda_failed(#call, error); \
  } while (false)
#define CHECK_NCCL(call)                                                          \
  do {                                                                            \
    const ncclResult_t error = (call);                                            \
    if (error != ncclSuccess) return lockstep::driver::nccl_failed(#call, error); \
  } while (false)
