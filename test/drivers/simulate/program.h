// What one rank's host thread does in one training step: a list of instructions that the engine plays
// again and again. Made by schedule.h, played by engine.h. Plain data.
#pragma once

#include <cstdint>
#include <vector>

namespace lockstep::simulate {

enum class Function : uint8_t {
  AllReduce,
  AllGather,
  ReduceScatter,
  Reduce,
  Broadcast,
  Send,
  Recv
};
constexpr const char* kFunctionNames[] = {"AllReduce", "AllGather", "ReduceScatter", "Reduce",
                                          "Broadcast", "Send",      "Recv"};
constexpr unsigned kFunctions = 7;
constexpr bool is_p2p(Function function) { return function >= Function::Send; }
// A broadcast goes through all-gather's path, of which NCCL tells the call alone.
constexpr bool has_calls_only(Function function) { return function == Function::Broadcast; }
// Data goes along a chain, to the root or from it: ranks do not all wait for each other.
constexpr bool is_rooted(Function function) {
  return function == Function::Reduce || function == Function::Broadcast;
}

// One operation of a launch.
struct Part {
  uint32_t communicator = 0;
  Function function = Function::AllReduce;
  int32_t peer = 0;    // the other's, or the root's, rank in the communicator
  uint64_t bytes = 0;  // of the whole vector: what every rank holds after an all-gather
  friend bool operator==(const Part& a, const Part& b) {
    return a.communicator == b.communicator && a.function == b.function && a.bytes == b.bytes;
  }
};

// GPU streams of a rank: kernels of one stream run one after the other.
constexpr uint8_t kComputeStream = 0, kDataStream = 1, kPipeStream = 2;
constexpr unsigned kStreams = 3;

enum class Do : uint8_t {
  Work,        // the host thread computes for `ns`
  Load,        // ... at the beginning of a step: the data loader, the checkpoint
  Compute,     // launches a kernel of `ns`
  Launch,      // launches one kernel for `parts` operations of one communicator
  StreamWait,  // `stream` waits for what `other` holds by now
  HostWait,    // the host waits for what `stream` holds by now
};

struct Instruction {
  Do what = Do::Work;
  uint8_t stream = kComputeStream, other = 0;
  bool grouped = false;  // between ncclGroupStart and ncclGroupEnd
  uint32_t first_part = 0, parts = 0;
  int64_t ns = 0;
};

struct Program {
  std::vector<Instruction> instructions;
  std::vector<Part> parts;
};

}  // namespace lockstep::simulate
