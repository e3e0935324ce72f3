#include "plugin/process/kind_choice.h"

namespace lockstep::plugin {
namespace {

// From 2.31.0 to 2.32.2 NCCL's kernels stamp their phases and fence the system's memory as soon as
// kernel channels are asked for: 4 to 13 % of an all-reduce of 128 KB to 4 MB. 2.32.3 does not.
constexpr uint32_t kFirstCostly = 23100, kFirstCheapAgain = 23203;

bool pays_for_kernel_channels(const HostLibrary& library) {
  return library.library == abi::Library::Nccl && library.version >= kFirstCostly &&
         library.version < kFirstCheapAgain;
}

}  // namespace

std::string version_text(uint32_t version) {
  return std::to_string(version / 10000) + "." + std::to_string(version / 100 % 100) + "." +
         std::to_string(version % 100);
}

KindChoice choose_kinds(const KindRequest& request, const HostLibrary& library) {
  KindChoice choice;
  choice.known = abi::known_kinds(library.library, request.table);
  choice.wanted = request.events | request.needed;
  if (request.given || (choice.wanted & abi::kKernelCh) == 0 || !pays_for_kernel_channels(library))
    return choice;
  const std::string beginning = "NCCL " + version_text(library.version) + ": ";
  if ((request.needed & abi::kKernelCh) != 0) {
    choice.notes.push_back(
        beginning +
        "kernel channels (KernelCh) are recorded for the files of the Inspector or of Prometheus, "
        "and slow all-reduces by 4 to 13 % in NCCL 2.31.0 to 2.32.2");
    return choice;
  }
  choice.wanted &= ~static_cast<uint32_t>(abi::kKernelCh);
  choice.notes.push_back(
      beginning +
      "kernel channels (KernelCh) are not recorded, because they slow all-reduces by 4 to 13 % in "
      "NCCL 2.31.0 to 2.32.2; arrivals rest on when operations were enqueued or called. "
      "LOCKSTEP_EVENTS=proxy records kernel channels all the same");
  return choice;
}

}  // namespace lockstep::plugin
