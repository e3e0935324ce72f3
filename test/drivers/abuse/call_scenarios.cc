// Calls that are wrong, late, repeated or foreign.
#include <cstring>
#include <random>

#include "test/drivers/abuse/abuse.h"

namespace lockstep::driver {
namespace {

void* as_pointer(uint64_t value) { return reinterpret_cast<void*>(value); }

void double_stops(Victim& v) {
  void* context = v.init(1);
  void* coll = v.operation(context);
  for (int i = 0; i < 1000; ++i) v.stop(coll);
  v.finalize(context);
}

void null_handles(Victim& v) {
  void* context = v.init(1);
  for (int i = 0; i < 1000; ++i) {
    v.stop(nullptr);
    v.record(nullptr, kSendWait, nullptr);
  }
  v.finalize(context);
}

void records_after_stop(Victim& v) {
  void* context = v.init(1);
  void* coll = v.operation(context);
  for (unsigned state = 0; state < kStates; ++state) v.record(coll, state, nullptr);
  v.finalize(context);
}

void handles_that_never_were(Victim& v) {
  void* context = v.init(1);
  std::mt19937_64 random(1);
  for (int i = 0; i < 10000; ++i) {
    void* handle = as_pointer(random());
    v.record(handle, static_cast<unsigned>(random() % kStates), nullptr);
    v.stop(handle);
    v.start(Kind::ProxyStep, context, handle);
  }
  v.finalize(context);
}

// Unrecorded, they say, for no known reason; of every communicator that a handle can name, the last
// one first: more than the plugin's table of losses has room for.
void forged_handles_of_every_communicator(Victim& v) {
  void* context = v.init(1);
  for (uint32_t comm = kLastComm; comm != 0; --comm) {
    v.stop(as_pointer(make_unrecorded_id(Kind::P2p, comm, Loss{})));
  }
  v.finalize(context);
}

void contexts_that_never_were(Victim& v) {
  void* context = v.init(1);
  std::mt19937_64 random(2);
  for (int i = 0; i < 1000; ++i) v.operation(as_pointer(random()));
  v.operation(nullptr);
  v.finalize(as_pointer(random()));
  v.finalize(nullptr);
  v.finalize(context);
  v.finalize(context);
}

// PXN: another process's operation, its context and parent, and its pid.
void operations_of_another_process(Victim& v) {
  void* context = v.init(1);
  for (int i = 0; i < 1000; ++i) {
    abi::v7::EventDescr d{};
    d.type = abi::kProxyOp;
    d.parent = as_pointer(0x7f00dead0000u + static_cast<unsigned>(i));
    d.proxy_op = {1, 0, 1, 4, 1 << 20, 1};
    void* op = v.start(as_pointer(0x7f00beef0000u), d, nullptr);
    void* step = v.start(Kind::ProxyStep, as_pointer(0x7f00beef0000u), op);
    v.stop(step);
    v.stop(op);
  }
  v.finalize(context);
}

void repeated_starts_and_storms(Victim& v) {
  void* context = v.init(1);
  void* op = v.start(Kind::ProxyOp, context, v.start(Kind::Coll, context, nullptr));
  void* step = nullptr;
  for (int i = 0; i < 1000; ++i) step = v.start(Kind::ProxyStep, context, op);
  for (int i = 0; i < 100000; ++i) v.record(step, kSendPeerWait, nullptr);
  v.stop(step);
  v.stop(op);
  v.finalize(context);
}

void unknown_kinds_and_states(Victim& v) {
  void* context = v.init(1);
  void* coll = v.start(Kind::Coll, context, nullptr);
  for (uint64_t type :
       {uint64_t{0}, uint64_t{3}, uint64_t{1} << 20, uint64_t{1} << 63, ~uint64_t{0}}) {
    abi::v7::EventDescr d{};
    d.type = type;
    void* handle = v.start(context, d, as_pointer(0xdead));
    v.stop(handle);
  }
  for (unsigned state : {32u, 33u, 1000u, 0x7fffffffu, 0xffffffffu}) v.record(coll, state, nullptr);
  v.finalize(context);
}

void null_strings(Victim& v) {
  void* context = v.init(1);
  for (Kind kind : {Kind::P2p, Kind::CollApi, Kind::P2pApi, Kind::CeColl, Kind::KernelPhase}) {
    v.stop(v.start(kind, context, nullptr));
  }
  abi::v7::EventDescr d{};
  d.type = abi::kColl;
  v.stop(v.start(context, d, nullptr));
  v.finalize(context);
}

void channels_0_and_64(Victim& v) {
  void* context = v.init(1);
  for (unsigned channels : {0u, 64u, 255u}) {
    abi::v7::EventDescr d{};
    d.type = abi::kColl;
    d.coll = {1,       "AllReduce", nullptr,    nullptr,
              1,       0,           "ncclInt8", static_cast<uint8_t>(channels),
              1,       "NVLS",      "SIMPLE",   nullptr,
              nullptr, false,       0};
    void* coll = v.start(context, d, nullptr);
    v.stop(coll);
    for (unsigned channel = 0; channel < channels; ++channel) {
      d = {};
      d.type = abi::kKernelCh;
      d.parent = coll;
      d.kernel_ch = {static_cast<uint8_t>(channel), channel};
      v.stop(v.start(context, d, nullptr));
    }
  }
  v.finalize(context);
}

void operations_that_never_stop(Victim& v) {
  void* context = v.init(1);
  for (int i = 0; i < 10000; ++i)
    v.start(Kind::ProxyOp, context, v.start(Kind::Coll, context, nullptr));
  v.finalize(context);
}

void calls_after_finalize(Victim& v) {
  void* context = v.init(1);
  void* coll = v.operation(context);
  v.finalize(context);
  for (int i = 0; i < 1000; ++i) {
    v.operation(context);
    v.record(coll, kProxyOpInProgress, nullptr);
    v.stop(coll);
  }
}

void stale_handles_in_recycled_subs(Victim& v) {
  void* context = v.init(1);
  void* old = v.operation(context);
  for (int i = 0; i < 1000; ++i) {
    abi::v7::EventDescr d{};
    d.type = abi::kProxyOp;
    d.parent = old;
    void* op = v.start(context, d, old);  // the variable still holds an old handle
    v.stop(op == nullptr ? old : op);
    v.stop(old);
  }
  v.finalize(context);
}

}  // namespace

const std::vector<Scenario> kCallScenarios = {
    {"double-stops", double_stops},
    {"null-handles", null_handles},
    {"records-after-stop", records_after_stop},
    {"handles-that-never-were", handles_that_never_were},
    {"forged-handles-of-every-communicator", forged_handles_of_every_communicator},
    {"contexts-that-never-were", contexts_that_never_were},
    {"operations-of-another-process", operations_of_another_process},
    {"repeated-starts-and-storms", repeated_starts_and_storms},
    {"unknown-kinds-and-states", unknown_kinds_and_states},
    {"null-strings", null_strings},
    {"channels-0-and-64", channels_0_and_64},
    {"operations-that-never-stop", operations_that_never_stop},
    {"calls-after-finalize", calls_after_finalize},
    {"stale-handles-in-recycled-subs", stale_handles_in_recycled_subs},
};

}  // namespace lockstep::driver
