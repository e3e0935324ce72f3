// The state of this host's GPUs as NVIDIA's management library tells it: libnvidia-ml.so.1 from the
// loader's path, loaded at the first reading. What a GPU or an older library does not tell is left out. A
// sick driver may hold a call up for good: use it on a thread that nobody waits for.
#pragma once

#include <vector>

#include "hostload/sample/slow_reader.h"

namespace lockstep::hostload {

// One counter a fact; its device is the GPU's UUID, its port NVML's index. Names, with their units, are in
// docs/schema.md. Empty where there is no library or no GPU. One thread.
std::vector<CounterReading> read_gpus();

}  // namespace lockstep::hostload
