// The layout of files is what these words say, and segments of format version 1 exist: a table of
// fields that gives other words cannot read them. The words are written by hand.
#include "lockstep/record_fields.h"

#include <gtest/gtest.h>

#include <vector>

#include "lockstep/record_shape.h"

namespace lockstep {
namespace {

template <typename Record>
std::vector<uint64_t> words_of(const Record& record) {
  std::vector<uint64_t> words(Record::kWords);
  record.write(words.data());
  return words;
}

// Every field but id, parent and event_rank, which all starts have alike.
template <typename Record>
Record start() {
  Record record;
  record.id = 0x1111;
  record.parent = 0x2222;
  record.event_rank = -2;
  return record;
}

using Words = std::vector<uint64_t>;

TEST(RecordFields, ACollsWordsAreThoseOfFormat1) {
  auto r = start<CollRecord>();
  r.channels = 0xc1;
  r.warps = 0xa2;
  r.symmetric = true;
  r.parent_group = 0x44;
  r.seq_number = 0x55;
  r.count = 0x66;
  r.send_buff = 0x77;
  r.recv_buff = 0x88;
  r.func = 0x9001;
  r.datatype = 0x9002;
  r.algo = 0x9003;
  r.proto = 0x9004;
  r.root = -10;
  r.kernel_variant = 0xa005;
  r.user_tag = 0xbb;
  r.traffic_bytes = 0xcc;
  r.op = 0xdddddddd;
  r.collnet = true;
  EXPECT_EQ(words_of(r),
            (Words{0, 0x1111, 0x2222, 0x0001a2c1fffffffe, 0x44, 0x55, 0x66, 0x77, 0x88,
                   0x9004900390029001, 0x0000a005fffffff6, 0xbb, 0xcc, 0x00000001dddddddd}));
  r.collnet = false;
  r.nvls = true;
  EXPECT_EQ(words_of(r)[13], 0x00000002ddddddddu);
}

TEST(RecordFields, AP2psWordsAreThoseOfFormat1) {
  auto r = start<P2pRecord>();
  r.channels = 0xc1;
  r.parent_group = 0x44;
  r.count = 0x55;
  r.buff = 0x66;
  r.func = 0x7001;
  r.datatype = 0x7002;
  r.peer = -7;
  r.user_tag = 0x88;
  EXPECT_EQ(words_of(r), (Words{0, 0x1111, 0x2222, 0x000000c1fffffffe, 0x44, 0x55, 0x66,
                                0xfffffff970027001, 0x88}));
}

TEST(RecordFields, TheProxysWordsAreThoseOfFormat1) {
  auto op = start<ProxyOpRecord>();
  op.pid = 0x33333333;
  op.peer = -4;
  op.channel = 0xc1;
  op.is_send = true;
  op.steps = 0x55;
  op.chunk_size = 0x56;
  EXPECT_EQ(words_of(op),
            (Words{0, 0x1111, 0x2222, 0x33333333fffffffe, 0x000001c1fffffffc, 0x0000005600000055}));
  auto step = start<ProxyStepRecord>();
  step.step = -3;
  EXPECT_EQ(words_of(step), (Words{0, 0x1111, 0x2222, 0xfffffffdfffffffe}));
  EXPECT_EQ(words_of(start<ProxyCtrlRecord>()), (Words{0, 0x1111, 0x2222, 0xfffffffe}));
  EXPECT_EQ(words_of(start<GroupRecord>()), (Words{0, 0x1111, 0x2222, 0xfffffffe}));
}

TEST(RecordFields, KernelsAndTheNetworksWordsAreThoseOfFormat1) {
  auto kernel = start<KernelChRecord>();
  kernel.channel = 0xc1;
  kernel.p_timer = 0x44;
  EXPECT_EQ(words_of(kernel), (Words{0, 0x1111, 0x2222, 0x000000c1fffffffe, 0x44}));
  auto phase = start<KernelPhaseRecord>();
  phase.channel = 0xc1;
  phase.phase = 0xb2;
  phase.name = 0x3003;
  phase.p_timer = 0x44;
  EXPECT_EQ(words_of(phase), (Words{0, 0x1111, 0x2222, 0x3003b2c1fffffffe, 0x44}));
  auto net = start<NetPluginRecord>();
  net.net_id = 0x44;
  net.device = -5;
  net.opcode = -6;
  net.wr_id = 0x66;
  net.length = 0x77;
  net.qp_num = 0x88;
  EXPECT_EQ(words_of(net),
            (Words{0, 0x1111, 0x2222, 0xfffffffe, 0x44, 0xfffffffafffffffb, 0x66, 0x77, 0x88}));
}

TEST(RecordFields, ApiCallsWordsAreThoseOfFormat1) {
  auto group = start<GroupApiRecord>();
  group.depth = 0xd001;
  group.graph_captured = true;
  EXPECT_EQ(words_of(group), (Words{0, 0x1111, 0x2222, 0x0001d001fffffffe}));
  auto coll = start<CollApiRecord>();
  coll.graph_captured = true;
  coll.count = 0x44;
  coll.func = 0x5001;
  coll.datatype = 0x5002;
  coll.root = -5;
  coll.stream = 0x66;
  coll.user_tag = 0x77;
  EXPECT_EQ(words_of(coll),
            (Words{0, 0x1111, 0x2222, 0x00000001fffffffe, 0x44, 0xfffffffb50025001, 0x66, 0x77}));
  auto p2p = start<P2pApiRecord>();
  p2p.graph_captured = true;
  p2p.count = 0x44;
  p2p.func = 0x5001;
  p2p.datatype = 0x5002;
  p2p.stream = 0x66;
  p2p.user_tag = 0x77;
  EXPECT_EQ(words_of(p2p),
            (Words{0, 0x1111, 0x2222, 0x00000001fffffffe, 0x44, 0x0000000050025001, 0x66, 0x77}));
  auto launch = start<KernelLaunchRecord>();
  launch.stream = 0x44;
  EXPECT_EQ(words_of(launch), (Words{0, 0x1111, 0x2222, 0xfffffffe, 0x44}));
}

TEST(RecordFields, CopyEnginesWordsAreThoseOfFormat1) {
  auto coll = start<CeCollRecord>();
  coll.intra_batch_sync = true;
  coll.seq_number = 0x44;
  coll.count = 0x55;
  coll.send_buff = 0x66;
  coll.recv_buff = 0x77;
  coll.func = 0x8001;
  coll.datatype = 0x8002;
  coll.sync_strategy = 0x8003;
  coll.root = -9;
  coll.batch_size = 0x99;
  coll.num_batches = 0xa1;
  coll.ce_seq_num = 0xa2;
  coll.stream = 0xbb;
  coll.user_tag = 0xcc;
  EXPECT_EQ(words_of(coll),
            (Words{0, 0x1111, 0x2222, 0x00000001fffffffe, 0x44, 0x55, 0x66, 0x77,
                   0x0000800380028001, 0x00000099fffffff7, 0x000000a2000000a1, 0xbb, 0xcc}));
  auto sync = start<CeSyncRecord>();
  sync.is_complete = true;
  sync.ranks = 0x44;
  EXPECT_EQ(words_of(sync), (Words{0, 0x1111, 0x2222, 0xfffffffe, 0x0000004400000001}));
  auto batch = start<CeBatchRecord>();
  batch.num_ops = 0x44;
  batch.use_intra_sync = true;
  batch.total_bytes = 0x55;
  EXPECT_EQ(words_of(batch), (Words{0, 0x1111, 0x2222, 0xfffffffe, 0x0000000100000044, 0x55}));
}

TEST(RecordFields, ACommunicatorsWordsAreThoseOfFormat1) {
  CommInitRecord init;
  init.comm = 0x11;
  init.comm_id = 0x22;
  init.rank = 0x33;
  init.ranks = 0x34;
  init.nodes = 0x44;
  init.abi_version = 0x45;
  init.name = 0x4003;
  EXPECT_EQ(words_of(init), (Words{0, 0x11, 0x22, 0x0000003400000033, 0x4003004500000044}));
  CommInfoRecord info;
  info.comm = 0x11;
  info.comm_id = 0x22;
  info.name = 0x3001;
  EXPECT_EQ(words_of(info), (Words{0, 0x11, 0x22, 0x3001}));
  CommFinalizeRecord finalize;
  finalize.comm = 0x11;
  EXPECT_EQ(words_of(finalize), (Words{0, 0x11}));
}

TEST(RecordFields, AMarksWordsAreThoseOfFormat1) {
  StepBeginRecord begin;
  begin.step = ~uint64_t{0};
  EXPECT_EQ(words_of(begin), (Words{0, ~uint64_t{0}}));
  RangePushRecord push;
  push.text = 0x1001;
  push.domain = 0x1002;
  push.category = 0x10000003;
  EXPECT_EQ(words_of(push), (Words{0, 0x1000000310021001}));
  RangeStartRecord start;
  start.text = 0x1001;
  start.range = 0x22;
  EXPECT_EQ(words_of(start), (Words{0, 0x1001, 0x22}));
  RangePopRecord pop;
  pop.domain = 0x1001;
  EXPECT_EQ(words_of(pop), (Words{0, 0x1001}));
}

// The columns of a file follow from the words' types: D dense, S sparse, as docs/format.md says.
TEST(RecordFields, TheTypesOfWordsAreThoseOfFormat1) {
  const auto types = [](Tag tag) {
    std::string text;
    for (unsigned word = 1; word < kRecordShapes[tag].words; ++word)
      text += "PHISMNV"[static_cast<unsigned>(kRecordShapes[tag].types[word])];
    return text;
  };
  const char* const starts[kKinds] = {
      "IIH", "IIHIPPPPSVPPH", "IIHIPPMP", "IIHHH", "IIH",          "IIH",  "IIHP",  "IIHPHPPP",
      "IIH", "IIHPMPP",       "IIHPMPP",  "IIHP",  "IIHPPPPSHHPP", "IIHH", "IIHHP", "IINP"};
  for (unsigned kind = 0; kind < kKinds; ++kind) {
    EXPECT_EQ(types(start_tag(static_cast<Kind>(kind))), starts[kind]) << kKindNames[kind];
    EXPECT_EQ(types(stop_tag(static_cast<Kind>(kind))), "I");
  }
  for (unsigned state = 0; state < kStates; ++state)
    EXPECT_EQ(types(state_tag(state)), state_has_argument(state) ? "IP" : "I") << state;
  EXPECT_EQ(types(kCommInitTag), "PPHN");
  EXPECT_EQ(types(kCommFinalizeTag), "P");
  EXPECT_EQ(types(kCommInfoTag), "PPS");
  const char* const marks[] = {"P", "P", "M", "S", "MP", "P", "M", "S", "S"};
  for (unsigned mark = 0; mark < std::size(marks); ++mark)
    EXPECT_EQ(types(static_cast<Tag>(kStepBeginTag + mark)), marks[mark]) << mark;
}

TEST(RecordFields, WhatIsWrittenIsRead) {
  auto written = start<KernelPhaseRecord>();
  written.channel = 255;
  written.phase = 2;
  written.name = 0xffff;
  written.p_timer = ~uint64_t{0};
  const auto read = KernelPhaseRecord::read(words_of(written).data());
  EXPECT_EQ(read.event_rank, -2);
  EXPECT_EQ(read.channel, 255);
  EXPECT_EQ(read.phase, 2);
  EXPECT_EQ(read.name, 0xffff);
  EXPECT_EQ(read.p_timer, ~uint64_t{0});
}

}  // namespace
}  // namespace lockstep
