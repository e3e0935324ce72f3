// The words of every record, by tag: how many there are, what each holds, and how the codec should
// treat it. One table serves the adapters (which fill the words), the codec (which needs only count
// and type) and the readers.
//
// Words 1 and 2 are described in event.h. Payload words of START records (fields of 16 or 32 bits
// share a word, the first named in the low bits; "s16" is a number of the string table, 0 = NCCL
// passed NULL):
//
//   every kind    3 rank
//   Coll          3 rank, channels u8 << 32, warps u8 << 40, isSymColl << 48   4 legacy Group's id
//   5 seqNumber   6 count
//                 7 sendBuff   8 recvBuff   9 func s16, datatype s16, algo s16, proto s16   10
//                 root, kernelVariant s16 << 32 11 userTag   12 trafficBytes (v1, v2)   13 op (v1),
//                 isCollnet << 32, isNvls << 33
//   P2p           3 rank, channels u8 << 32   4 legacy Group's id   5 count   6 buff   7 func s16,
//   datatype s16, peer << 32   8 userTag ProxyOp       3 rank, pid << 32   4 peer, channel u8 <<
//   32, isSend << 40   5 nSteps, chunkSize << 32 ProxyStep     3 rank, step << 32 KernelCh      3
//   rank, channel u8 << 32   4 pTimer (GPU clock, ns) NetPlugin     3 rank   4 id   5 device or fd,
//   opcode or op << 32   6 wr_id   7 length   8 qpNum GroupApi      3 rank, depth u16 << 32,
//   graphCaptured << 48 CollApi       3 rank, graphCaptured << 32   4 count   5 func s16, datatype
//   s16, root << 32   6 stream   7 userTag P2pApi        3 rank, graphCaptured << 32   4 count   5
//   func s16, datatype s16   6 stream   7 userTag KernelLaunch  3 rank   4 stream CeColl        3
//   rank, intraBatchSync << 32   4 seqNumber   5 count   6 sendBuff   7 recvBuff
//                 8 func s16, datatype s16, syncStrategy s16   9 root, batchSize << 32   10
//                 numBatches, ceSeqNum << 32 11 stream   12 userTag
//   CeSync        3 rank   4 isComplete, nRanks << 32
//   CeBatch       3 rank   4 numOps, useIntraSync << 32   5 totalBytes
//   KernelPhase   3 rank, channel u8 << 32, phase u8 << 40, name s16 << 48   4 pTimer
//   COMM_INIT     1 communicator number   2 commId (v4+)   3 rank, nranks << 32   4 nNodes, ABI
//   version << 32, name s16 << 48 COMM_FINALIZE 1 communicator number COMM_INFO     1 communicator
//   number   2 commHash, name s16 in word 3 (v1 to v3 learn these from Coll and P2p)
#pragma once

#include <array>

#include "lockstep/event.h"

namespace lockstep {

// How the codec splits a word into delta-coded columns (chunk_codec.h).
enum class WordType : uint8_t {
  Plain,    // one 64-bit number
  Halves,   // two 32-bit numbers
  Id,       // an event id: serial in one column, kind and communicator in another
  Strings,  // four s16
  Mixed,    // s16 s16 in the low half, a 32-bit number in the high half
  Named,    // a 32-bit number in the low half; bits 32-47 small fields; s16 in bits 48-63
  Variant,  // a 32-bit number in the low half; s16 in bits 32-47
};

constexpr unsigned kMaxWords = 14;
struct RecordShape {
  uint8_t words = 0;                        // in all, word 0 included; 0 = no such record
  std::array<WordType, kMaxWords> types{};  // [0] unused
};

namespace shape_detail {
using W = WordType;
constexpr RecordShape shape(std::initializer_list<W> types) {
  RecordShape s;
  s.words = 1;
  for (W t : types) s.types[s.words++] = t;
  return s;
}
constexpr W I = W::Id, P = W::Plain, H = W::Halves, S = W::Strings, M = W::Mixed, N = W::Named,
            V = W::Variant;
constexpr std::array<RecordShape, kTags> make_shapes() {
  std::array<RecordShape, kTags> t{};
  auto start = [&](Kind k, RecordShape s) { t[start_tag(k)] = s; };
  start(Kind::Group, shape({I, I, H}));
  start(Kind::Coll, shape({I, I, H, I, P, P, P, P, S, V, P, P, H}));
  start(Kind::P2p, shape({I, I, H, I, P, P, M, P}));
  start(Kind::ProxyOp, shape({I, I, H, H, H}));
  start(Kind::ProxyStep, shape({I, I, H}));
  start(Kind::ProxyCtrl, shape({I, I, H}));
  start(Kind::KernelCh, shape({I, I, H, P}));
  start(Kind::NetPlugin, shape({I, I, H, P, H, P, P, P}));
  start(Kind::GroupApi, shape({I, I, H}));
  start(Kind::CollApi, shape({I, I, H, P, M, P, P}));
  start(Kind::P2pApi, shape({I, I, H, P, M, P, P}));
  start(Kind::KernelLaunch, shape({I, I, H, P}));
  start(Kind::CeColl, shape({I, I, H, P, P, P, P, S, H, H, P, P}));
  start(Kind::CeSync, shape({I, I, H, H}));
  start(Kind::CeBatch, shape({I, I, H, H, P}));
  start(Kind::KernelPhase, shape({I, I, N, P}));
  for (unsigned k = 0; k < kKinds; ++k) t[kStopTag + k] = shape({I});
  for (unsigned s = 0; s < kStates; ++s)
    t[kStateTag + s] = state_has_argument(s) ? shape({I, P}) : shape({I});
  t[kCommInitTag] = shape({P, P, H, N});
  t[kCommFinalizeTag] = shape({P});
  t[kCommInfoTag] = shape({P, P, S});
  return t;
}
}  // namespace shape_detail

inline constexpr std::array<RecordShape, kTags> kRecordShapes = shape_detail::make_shapes();

constexpr const char* kStateNames[kStates] = {"ProxyOpSendPosted",
                                              "ProxyOpSendRemFifoWait",
                                              "ProxyOpSendTransmitted",
                                              "ProxyOpSendDone",
                                              "ProxyOpRecvPosted",
                                              "ProxyOpRecvReceived",
                                              "ProxyOpRecvTransmitted",
                                              "ProxyOpRecvDone",
                                              "SendGPUWait",
                                              "SendWait",
                                              "RecvWait",
                                              "RecvFlushWait",
                                              "RecvGPUWait",
                                              "CtrlIdle",
                                              "CtrlActive",
                                              "CtrlSleep",
                                              "CtrlWakeup",
                                              "CtrlAppend",
                                              "CtrlAppendEnd",
                                              "ProxyOpInProgress",
                                              "SendPeerWait",
                                              "NetPluginUpdate",
                                              "KernelChStop",
                                              "GroupStartApiStop",
                                              "GroupEndApiStart",
                                              "CeCollStart",
                                              "CeCollComplete",
                                              "CeSyncStart",
                                              "CeSyncComplete",
                                              "CeBatchStart",
                                              "CeBatchComplete",
                                              "KernelPhaseStop"};

}  // namespace lockstep
