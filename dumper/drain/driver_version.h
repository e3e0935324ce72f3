// The version of the kernel driver of NVIDIA's GPUs on this host. Two small files that the kernel
// prints; no library of the driver is asked. Any thread.
#pragma once

#include <string>

namespace lockstep::dumper {

// "580.65.06"; empty where there is no such driver. `root` stands before /sys and /proc; empty but for
// tests.
std::string driver_version(const std::string& root);

}  // namespace lockstep::dumper
