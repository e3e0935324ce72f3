// Reads a GPU's clock without NCCL, CUPTI or lockstep: a kernel of one thread reads %globaltimer each time that the host asks,
// between two readings of the host's CLOCK_MONOTONIC_RAW. Prints before_raw_ns,gpu_ns,after_raw_ns of the tightest of forty,
// four times a second, for as many seconds as it is given. What a run beside it recorded is compared with these lines
// (test/clocksync/gpu_truth.py).
#include <cuda_runtime.h>
#include <time.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

constexpr int kReadings = 40;

struct Shared {
  volatile int asked;
  volatile int answered;
  volatile unsigned long long gpu_ns;
};

__global__ void answer(Shared* shared) {
  for (int i = 1; i <= kReadings; ++i) {
    while (shared->asked < i) {
    }
    unsigned long long now;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
    shared->gpu_ns = now;
    __threadfence_system();
    shared->answered = i;
    __threadfence_system();
  }
}

long raw_ns() {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC_RAW, &now);
  return now.tv_sec * 1000000000L + now.tv_nsec;
}

int main(int argc, char** argv) {
  const double seconds = argc > 1 ? atof(argv[1]) : 10;
  Shared *shared, *of_gpu;
  if (cudaHostAlloc(&shared, sizeof *shared, cudaHostAllocMapped) != cudaSuccess ||
      cudaHostGetDevicePointer(&of_gpu, shared, 0) != cudaSuccess) {
    fprintf(stderr, "no CUDA device here\n");
    return 3;
  }
  printf("before_raw_ns,gpu_ns,after_raw_ns\n");
  for (const long begin = raw_ns(); raw_ns() - begin < seconds * 1e9; usleep(250000)) {
    shared->asked = shared->answered = 0;
    __sync_synchronize();
    answer<<<1, 1>>>(of_gpu);
    long best_before = 0, best_after = 0;
    unsigned long long best_gpu = 0;
    for (int i = 1; i <= kReadings; ++i) {
      const long before = raw_ns();
      shared->asked = i;
      __sync_synchronize();
      while (shared->answered < i) {
      }
      const long after = raw_ns();
      if (best_gpu != 0 && after - before >= best_after - best_before) continue;
      best_before = before;
      best_after = after;
      best_gpu = shared->gpu_ns;
    }
    if (cudaDeviceSynchronize() != cudaSuccess) return 1;
    printf("%ld,%llu,%ld\n", best_before, best_gpu, best_after);
    fflush(stdout);
  }
  return 0;
}
