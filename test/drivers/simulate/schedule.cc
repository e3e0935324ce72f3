#include "test/drivers/simulate/schedule.h"

#include <algorithm>

namespace lockstep::simulate {
namespace {

// What a step costs the host besides its launches.
constexpr int64_t kLoaderNs = 300'000, kOptimizerNs = 500'000, kLossBytes = 4;
constexpr int kChunks = 2;  // of the model on each rank, in the interleaved schedule

// The program of one rank, written down call by call.
class Writer {
 public:
  Writer(const ScheduleOptions& options, const Layout& layout, int rank)
      : options_(options), layout_(layout), rank_(rank) {}

  Program data_parallel();
  Program grouped();
  Program sharded();
  Program owners();
  Program pipeline();
  Program experts();

 private:
  int stage() const { return layout_.stage_of(rank_); }
  int stages() const { return layout_.options.stages; }

  void instruct(Do what, int64_t ns, uint8_t stream = kComputeStream, uint8_t other = 0) {
    Instruction made;
    made.what = what;
    made.ns = ns;
    made.stream = stream;
    made.other = other;
    program_.instructions.push_back(made);
  }
  void compute(int64_t ns) {
    if (stage() == options_.heavy_stage)
      ns = static_cast<int64_t>(static_cast<double>(ns) * options_.heavy);
    instruct(Do::Compute, ns);
  }
  void stream_wait(uint8_t stream, uint8_t other) { instruct(Do::StreamWait, 0, stream, other); }

  void launch(uint8_t stream, const std::vector<Part>& parts, bool grouped) {
    if (parts.empty()) return;
    Instruction made;
    made.what = Do::Launch;
    made.stream = stream;
    made.grouped = grouped;
    made.first_part = static_cast<uint32_t>(program_.parts.size());
    made.parts = static_cast<uint32_t>(parts.size());
    program_.parts.insert(program_.parts.end(), parts.begin(), parts.end());
    program_.instructions.push_back(made);
  }
  void collective(Axis axis, Function function, uint64_t bytes, uint8_t stream) {
    const Member& member = layout_.member(rank_, axis);
    if (member.communicator != kNoCommunicator)
      launch(stream, {{member.communicator, function, 0, bytes}}, false);
  }
  // Tensor parallel layers end in an all-reduce that the next layer needs: on the compute stream.
  void layer(int64_t ns) {
    compute(ns);
    collective(Axis::Tensor, Function::AllReduce, options_.activation_bytes, kComputeStream);
  }
  void begin() { instruct(Do::Load, kLoaderNs); }
  void reduce_gradients() {
    stream_wait(kDataStream, kComputeStream);
    collective(Axis::Data, Function::AllReduce, options_.layer_bytes, kDataStream);
  }
  Program end() {
    stream_wait(kComputeStream, kDataStream);
    stream_wait(kComputeStream, kPipeStream);
    instruct(Do::Compute, kOptimizerNs);
    collective(Axis::World, Function::AllReduce, kLossBytes, kComputeStream);
    instruct(Do::HostWait, 0, kComputeStream);
    return std::move(program_);
  }

  // Of one micro-batch through one chunk of the model.
  struct Pass {
    bool forward;
    int chunk;
  };
  std::vector<std::vector<Pass>> passes() const;
  void add_transfer(const Pass& pass, bool send, std::vector<Part>* parts) const;
  void all_to_all();

  const ScheduleOptions& options_;
  const Layout& layout_;
  const int rank_;
  Program program_;
};

Program Writer::data_parallel() {
  begin();
  for (int i = 0; i < options_.layers; ++i) layer(options_.layer_ns);
  for (int i = 0; i < options_.layers; ++i) {
    layer(2 * options_.layer_ns);
    reduce_gradients();
  }
  return end();
}

// Gradients in one group at the end, without overlap.
Program Writer::grouped() {
  begin();
  for (int i = 0; i < 2 * options_.layers; ++i)
    layer(options_.layer_ns * (i < options_.layers ? 1 : 2));
  stream_wait(kDataStream, kComputeStream);
  const Member& member = layout_.member(rank_, Axis::Data);
  std::vector<Part> parts(static_cast<size_t>(options_.layers),
                          {member.communicator, Function::AllReduce, 0, options_.layer_bytes});
  launch(kDataStream, parts, true);
  return end();
}

// Parameters are gathered one layer ahead on a stream of their own, gradients scattered behind.
Program Writer::sharded() {
  begin();
  for (int pass = 0; pass < 2; ++pass) {
    collective(Axis::Data, Function::AllGather, options_.layer_bytes, kDataStream);
    for (int i = 0; i < options_.layers; ++i) {
      stream_wait(kComputeStream, kDataStream);
      if (i + 1 < options_.layers)
        collective(Axis::Data, Function::AllGather, options_.layer_bytes, kDataStream);
      layer(options_.layer_ns * (1 + pass));
      if (pass == 0) continue;
      stream_wait(kDataStream, kComputeStream);
      collective(Axis::Data, Function::ReduceScatter, options_.layer_bytes, kDataStream);
    }
  }
  return end();
}

// Each layer's gradients are reduced to the rank that owns them, which sends the parameters to all.
Program Writer::owners() {
  begin();
  for (int i = 0; i < options_.layers; ++i) layer(options_.layer_ns);
  const uint32_t communicator = layout_.member(rank_, Axis::Data).communicator;
  const auto rooted = [&](Function function, int i) {
    launch(kDataStream, {{communicator, function, i % layout_.data, options_.layer_bytes}}, false);
  };
  for (int i = 0; i < options_.layers; ++i) {
    layer(2 * options_.layer_ns);
    stream_wait(kDataStream, kComputeStream);
    rooted(Function::Reduce, i);
  }
  for (int i = 0; i < options_.layers; ++i) rooted(Function::Broadcast, i);
  return end();
}

// The passes of this stage in their order, those together between which it sends and receives
// nothing: interleaved, a forward and a backward pass share their exchanges. With several chunks a rank holds every stages()-th part of
// the model, and micro-batches go round in turns of stages(), as in Megatron's interleaved schedule.
std::vector<std::vector<Writer::Pass>> Writer::passes() const {
  const bool interleaved = options_.name == "interleaved";
  const int chunks = interleaved ? kChunks : 1, count = options_.micro_batches * chunks;
  const auto pass = [&](int number, bool forward) {
    const int turn = interleaved ? number % (stages() * chunks) / stages() : 0;
    return Pass{forward, forward ? turn : chunks - 1 - turn};
  };
  int ahead = stages() - stage() - 1;
  if (interleaved) ahead = 2 * ahead + (chunks - 1) * stages();
  if (options_.name == "gpipe") ahead = count;
  ahead = std::min(ahead, count);
  std::vector<std::vector<Pass>> order;
  for (int i = 0; i < ahead; ++i) order.push_back({pass(i, true)});
  for (int i = ahead; i < count; ++i) {
    order.push_back({pass(i, true)});
    if (!interleaved) order.emplace_back();
    order.back().push_back(pass(i - ahead, false));
  }
  for (int i = count - ahead; i < count; ++i) order.push_back({pass(i, false)});
  return order;
}

// What a pass sends, or what it receives before.
void Writer::add_transfer(const Pass& pass, bool send, std::vector<Part>* parts) const {
  const int last = stages() * (options_.name == "interleaved" ? kChunks : 1) - 1;
  const int here = pass.chunk * stages() + stage();
  const int there = here + (pass.forward == send ? 1 : -1);
  if (there < 0 || there > last) return;
  parts->push_back({layout_.member(rank_, Axis::Stage).communicator,
                    send ? Function::Send : Function::Recv, there % stages(),
                    options_.activation_bytes});
}

// Between two passes one group sends what the first has made and receives what the second needs.
Program Writer::pipeline() {
  begin();
  const int layers = std::max(options_.layers / (options_.name == "interleaved" ? kChunks : 1), 1);
  const std::vector<std::vector<Pass>> order = passes();
  const std::vector<Pass> none;
  for (size_t i = 0; i <= order.size(); ++i) {
    const auto &before = i > 0 ? order[i - 1] : none, &next = i < order.size() ? order[i] : none;
    std::vector<Part> parts;
    for (const Pass& pass : before) add_transfer(pass, true, &parts);
    for (const Pass& pass : next) add_transfer(pass, false, &parts);
    if (!parts.empty()) {
      stream_wait(kPipeStream, kComputeStream);
      launch(kPipeStream, parts, parts.size() > 1);
      stream_wait(kComputeStream, kPipeStream);
    }
    for (const Pass& pass : next) {
      for (int l = 0; l < layers; ++l) layer(options_.layer_ns * (pass.forward ? 1 : 2));
    }
  }
  for (int i = 0; i < options_.layers; ++i) reduce_gradients();
  return end();
}

// Tokens to the ranks of their experts: sends to and receives from everybody else, in one group.
void Writer::all_to_all() {
  const Member& member = layout_.member(rank_, Axis::Expert);
  const int experts = layout_.options.experts;
  std::vector<Part> parts;
  const auto share = [&](int receiver) {
    const double heavy = receiver == options_.heavy_expert ? options_.heavy : 1;
    return static_cast<uint64_t>(heavy * static_cast<double>(options_.activation_bytes) / experts);
  };
  for (int i = 1; i < experts; ++i) {
    const int to = (member.rank + i) % experts, from = (member.rank + experts - i) % experts;
    parts.push_back({member.communicator, Function::Send, to, share(to)});
    parts.push_back({member.communicator, Function::Recv, from, share(member.rank)});
  }
  launch(kComputeStream, parts, true);
}

Program Writer::experts() {
  begin();
  const bool heavy = layout_.member(rank_, Axis::Expert).rank == options_.heavy_expert;
  for (int i = 0; i < 2 * options_.layers; ++i) {
    const int64_t ns = options_.layer_ns * (i < options_.layers ? 1 : 2);
    compute(ns / 2);
    all_to_all();
    compute(static_cast<int64_t>(static_cast<double>(ns / 2) * (heavy ? options_.heavy : 1)));
    all_to_all();
    if (i >= options_.layers) reduce_gradients();
  }
  return end();
}

}  // namespace

const std::vector<ScheduleInfo>& schedules() {
  static const std::vector<ScheduleInfo> all = {
      {"ddp", "data parallel: gradients reduced in buckets beside the backward pass", 1, 1, 1},
      {"group", "data parallel: all gradients in one group at the end of the step", 1, 1, 1},
      {"zero", "sharded data parallel: all-gather ahead, reduce-scatter behind, two streams", 1, 1,
       1},
      {"owner", "data parallel: gradients reduced to their owners, which broadcast parameters", 1,
       1, 1},
      {"tp-dp", "tensor parallel layers, data parallel gradients", 2, 1, 1},
      {"gpipe", "pipeline: all micro-batches forward, then all backward", 1, 2, 1},
      {"1f1b", "pipeline: one forward, one backward", 1, 2, 1},
      {"interleaved", "pipeline: 1f1b, every rank has two chunks of the model", 1, 2, 1},
      {"moe", "experts: two all-to-alls a layer, data parallel gradients", 1, 1, 2},
  };
  return all;
}

const ScheduleInfo* find_schedule(const std::string& name) {
  for (const ScheduleInfo& info : schedules()) {
    if (name == info.name) return &info;
  }
  return nullptr;
}

Result<std::vector<Program>> make_programs(const ScheduleOptions& options, const Layout& layout) {
  const bool interleaved = options.name == "interleaved";
  const bool pipeline = interleaved || options.name == "gpipe" || options.name == "1f1b";
  if (!pipeline && layout.options.stages > 1)
    return Status::error("--schedule " + options.name + " has no stages: leave out --pp");
  if (interleaved && options.micro_batches % layout.options.stages != 0)
    return Status::error("--schedule interleaved needs a multiple of --pp --micro-batches");
  if ((options.name == "group" || options.name == "owner") && layout.data < 2)
    return Status::error("--schedule " + options.name +
                         " reduces over data ranks, and there is only one");
  std::vector<Program> programs;
  for (int rank = 0; rank < layout.options.ranks; ++rank) {
    Writer writer(options, layout, rank);
    programs.push_back(options.name == "group"   ? writer.grouped()
                       : options.name == "zero"  ? writer.sharded()
                       : options.name == "owner" ? writer.owners()
                       : options.name == "moe"   ? writer.experts()
                       : pipeline                ? writer.pipeline()
                                                 : writer.data_parallel());
  }
  return programs;
}

}  // namespace lockstep::simulate
