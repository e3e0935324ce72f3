#include "dumper/feeds/example_event.h"

#include <cstdio>

#include "base/json.h"
#include "lockstep/nccl_net_descr.h"

namespace lockstep::dumper {
namespace {

using Event = ExampleTrace::Event;

class Lines {
 public:
  Lines(const Event& event, const ExampleEventContext& context)
      : event_(event), context_(context) {}

  uint64_t word(unsigned i) const { return event_.words[i]; }
  uint64_t low(unsigned i) const { return static_cast<uint32_t>(word(i)); }
  uint64_t high(unsigned i) const { return word(i) >> 32; }
  std::string text(unsigned i, unsigned place) const {
    return std::string(context_.strings->text(static_cast<uint16_t>(word(i) >> (16 * place))));
  }
  uint64_t start_ticks() const { return ticks_of(word(0)); }
  // When the state came; `otherwise` when it did not.
  uint64_t ticks(unsigned state, uint64_t otherwise) const {
    for (const auto& s : event_.states) {
      if (s.number == state) return s.ticks;
    }
    return otherwise;
  }
  uint64_t argument(unsigned state) const {
    for (const auto& s : event_.states) {
      if (s.number == state && s.argument != kNoArgument) return s.argument;
    }
    return 0;
  }

  template <typename Arguments>
  void pair(const char* category, const std::string& name, uint64_t from, uint64_t to,
            Arguments arguments) {
    lines.push_back(line("b", category, name, from, [&](JsonWriter* writer) {
      put_key(writer, "args");
      writer->StartObject();
      arguments(writer);
      writer->EndObject();
    }));
    lines.push_back(line("e", category, name, to, [](JsonWriter*) {}));
  }

  std::vector<std::string> lines;

 private:
  template <typename More>
  std::string line(const char* phase, const char* category, const std::string& name, uint64_t ticks,
                   More more) const {
    json::StringBuffer text_buffer;
    JsonWriter writer(text_buffer);
    writer.SetMaxDecimalPlaces(3);
    writer.StartObject();
    put_text(&writer, "name", name);
    put_text(&writer, "cat", category);
    put_text(&writer, "ph", phase);
    put_uint(&writer, "id", serial_of(event_.id()));
    put_uint(&writer, "pid", context_.pid);
    put_uint(&writer, "tid", 1);
    put_key(&writer, "ts");
    writer.Double(static_cast<double>(
                      static_cast<int64_t>(context_.clock->raw_ns(ticks) - context_.zero_raw_ns)) /
                  1000);
    more(&writer);
    writer.EndObject();
    return text_buffer.GetString();
  }

  const Event& event_;
  const ExampleEventContext& context_;
};

std::string pointer_text(uint64_t address) {
  char text[24];
  std::snprintf(text, sizeof text, "0x%lx", address);
  return text;
}

void proxy_op(Lines* l, uint64_t stop) {
  const bool send = (l->word(4) >> 40 & 1) != 0;
  const uint64_t progress = l->ticks(kProxyOpInProgress, stop);
  const auto arguments = [l](JsonWriter* w) {
    put_uint(w, "Channel", l->word(4) >> 32 & 0xff);
    put_uint(w, "Peer", l->low(4));
    put_uint(w, "Steps", l->low(5));
    put_uint(w, "ChunkSize", l->high(5));
  };
  l->pair("PROXY", send ? "ScheduleSend" : "ScheduleRecv", l->start_ticks(), progress, arguments);
  l->pair("PROXY", send ? "ProgressSend" : "ProgressRecv", progress, stop, arguments);
}

void proxy_step(Lines* l, uint64_t stop) {
  struct Phase {
    unsigned state;
    const char* name;
  };
  constexpr Phase kSend[] = {
      {kSendGpuWait, "SendGpuWait"}, {kSendPeerWait, "SendPeerWait"}, {kSendWait, "SendWait"}};
  constexpr Phase kRecv[] = {
      {kRecvWait, "RecvWait"}, {kRecvFlushWait, "RecvFlushWait"}, {kRecvGpuWait, "RecvGpuWait"}};
  const auto& phases = l->ticks(kSendGpuWait, 0) != 0 ? kSend : kRecv;
  for (unsigned i = 0; i < 3; ++i) {
    const uint64_t from = l->ticks(phases[i].state, 0);
    if (from == 0) continue;
    uint64_t to = stop;
    for (unsigned next = 2; next > i; --next) to = l->ticks(phases[next].state, to);
    l->pair("NET", phases[i].name, from, to, [l](JsonWriter* w) {
      put_uint(w, "Step", l->high(3));
      put_uint(w, "transSize", l->argument(kSendWait) + l->argument(kRecvFlushWait));
    });
  }
}

void proxy_ctrl(Lines* l, uint64_t stop) {
  const bool append = l->ticks(kCtrlAppend, 0) != 0, sleep = l->ticks(kCtrlSleep, 0) != 0;
  if (!append && !sleep && l->ticks(kCtrlIdle, 0) == 0) return;
  l->pair("PROXY",
          append  ? "Append"
          : sleep ? "Sleep"
                  : "Idle",
          l->start_ticks(), stop, [l, append](JsonWriter* w) {
            if (append) put_uint(w, "appended", l->argument(kCtrlAppendEnd));
          });
}

void coll(Lines* l, uint64_t stop, uint64_t comm_hash) {
  l->pair("COLL", l->text(9, 0), l->start_ticks(), stop, [l, comm_hash](JsonWriter* w) {
    put_uint(w, "SeqNum", l->word(5));
    put_uint(w, "CommHash", comm_hash);
    put_uint(w, "Rank", l->low(3));
    put_uint(w, "Count", l->word(6));
    put_text(w, "Datatype", l->text(9, 1));
    put_text(w, "Algorithm", l->text(9, 2));
    put_text(w, "Protocol", l->text(9, 3));
    put_uint(w, "nChannels", l->high(3) & 0xff);
  });
}

void p2p(Lines* l, uint64_t stop, uint64_t comm_hash) {
  l->pair("P2P", l->text(7, 0), l->start_ticks(), stop, [l, comm_hash](JsonWriter* w) {
    put_uint(w, "CommHash", comm_hash);
    put_uint(w, "Rank", l->low(3));
    put_uint(w, "Peer", l->high(7));
    put_uint(w, "Count", l->word(5));
    put_text(w, "Datatype", l->text(7, 1));
    put_uint(w, "nChannels", l->high(3) & 0xff);
  });
}

void api_call(Lines* l, uint64_t stop, bool is_coll) {
  l->pair(is_coll ? "COLL_API" : "P2P_API", l->text(5, 0), l->start_ticks(), stop,
          [l, is_coll](JsonWriter* w) {
            put_uint(w, "count", l->word(4));
            put_text(w, "datatype", l->text(5, 1));
            if (is_coll) put_uint(w, "root", l->high(5));
            put_uint(w, "GraphCaptured", l->high(3) & 1);
            put_text(w, "Stream", pointer_text(l->word(6)));
          });
}

// Other network plugins have ids of their own, and say what only they know.
void net_event(Lines* l, uint64_t start, uint64_t stop) {
  const auto id = static_cast<int64_t>(l->word(4));
  if (id == abi::net::kSocketV1) {
    l->pair("NET_SOCK", "Sock", start, stop, [l](JsonWriter* w) {
      put_uint(w, "sock", l->low(5));
      put_uint(w, "op", l->high(5));
      put_uint(w, "size", l->word(7));
    });
  } else if (id == abi::net::kIbV1) {
    l->pair("NET_IB", "Qp", start, stop, [l](JsonWriter* w) {
      put_uint(w, "device", l->low(5));
      put_uint(w, "opcode", l->high(5));
      put_uint(w, "wr_id", l->word(6));
      put_uint(w, "size", l->word(7));
      put_uint(w, "qp_num", l->word(8));
    });
  } else {
    l->pair("NET", "Net", start, stop, [l](JsonWriter* w) { put_uint(w, "id", l->word(4)); });
  }
}

void ce_event(Lines* l, uint64_t stop, Kind kind) {
  const bool is_coll = kind == Kind::CeColl, is_sync = kind == Kind::CeSync;
  l->pair(is_coll   ? "CE_COLL"
          : is_sync ? "CE_SYNC"
                    : "CE_BATCH",
          is_coll   ? l->text(8, 0)
          : is_sync ? "CeSync"
                    : "CeBatch",
          l->start_ticks(), stop, [&](JsonWriter* w) {
            if (is_coll) {
              put_uint(w, "count", l->word(5));
              put_text(w, "datatype", l->text(8, 1));
              put_text(w, "strategy", l->text(8, 2));
            } else if (is_sync) {
              put_text(w, "type", (l->low(4) & 1) != 0 ? "Complete" : "Ready");
              put_uint(w, "nRanks", l->high(4));
            } else {
              put_uint(w, "numOps", l->low(4));
              put_uint(w, "totalBytes", l->word(5));
            }
          });
}

}  // namespace

std::vector<std::string> example_lines(const Event& event, const ExampleEventContext& context) {
  Lines lines(event, context);
  Lines* const l = &lines;
  const uint64_t start = l->start_ticks(), stop = event.stop_ticks;
  switch (event.kind()) {
    case Kind::GroupApi:
      l->pair("GROUP_API", "Group API", start, stop, [l](JsonWriter* w) {
        put_uint(w, "groupApiId", l->word(1));
        put_uint(w, "groupDepth", l->high(3) & 0xffff);
      });
      break;
    case Kind::CollApi:
    case Kind::P2pApi:
      api_call(l, stop, event.kind() == Kind::CollApi);
      break;
    case Kind::KernelLaunch:
      l->pair("KERNEL_LAUNCH", "KernelLaunch", start, stop, [l](JsonWriter* w) {
        put_uint(w, "groupId", l->word(2));
        put_text(w, "Stream", pointer_text(l->word(4)));
      });
      break;
    case Kind::Group:
      l->pair("GROUP", "Group", start, stop,
              [l](JsonWriter* w) { put_uint(w, "groupId", l->word(1)); });
      break;
    case Kind::Coll:
      coll(l, stop, context.comm_hash);
      break;
    case Kind::P2p:
      p2p(l, stop, context.comm_hash);
      break;
    case Kind::ProxyOp:
      proxy_op(l, stop);
      break;
    case Kind::ProxyStep:
      proxy_step(l, stop);
      break;
    case Kind::ProxyCtrl:
      proxy_ctrl(l, stop);
      break;
    case Kind::KernelCh:
      l->pair("GPU", "KernelCh", start, stop, [l](JsonWriter* w) {
        put_uint(w, "Channel", l->high(3) & 0xff);
        put_uint(w, "StartGpuClk", l->word(4));
        put_uint(w, "StopGpuClk", l->argument(kKernelChStop));
      });
      break;
    case Kind::NetPlugin:
      net_event(l, start, stop);
      break;
    case Kind::CeColl:
    case Kind::CeSync:
    case Kind::CeBatch:
      ce_event(l, stop, event.kind());
      break;
    case Kind::KernelPhase:
      l->pair("GPU", l->text(3, 3), start, stop,
              [l](JsonWriter* w) { put_uint(w, "Channel", l->high(3) & 0xff); });
      break;
  }
  return lines.lines;
}

}  // namespace lockstep::dumper
