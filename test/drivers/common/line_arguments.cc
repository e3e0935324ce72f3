#include "test/drivers/common/line_parser.h"

namespace lockstep::driver {
namespace {

bool assign_flag(std::string_view text, bool* member) {
  *member = text == "1";
  return text == "0" || text == "1";
}

}  // namespace

// The words without a key: a function's name, a data type, ALGO/PROTO, SEND or RECV.
Status LineParser::set_word(std::string_view word, Kind kind, abi::v7::EventDescr* event) {
  const bool is_type = word.substr(0, 4) == "nccl" || word == "Unknown";
  const size_t slash = word.find('/');
  switch (kind) {
    case Kind::Coll:
      if (slash != std::string_view::npos) {
        event->coll.algo = keep(word.substr(0, slash));
        event->coll.proto = keep(word.substr(slash + 1));
      } else {
        (is_type ? event->coll.datatype : event->coll.func) = keep(word);
      }
      return Status();
    case Kind::P2p:
      (is_type ? event->p2p.datatype : event->p2p.func) = keep(word);
      return Status();
    case Kind::CollApi:
      (is_type ? event->coll_api.datatype : event->coll_api.func) = keep(word);
      return Status();
    case Kind::P2pApi:
      (is_type ? event->p2p_api.datatype : event->p2p_api.func) = keep(word);
      return Status();
    case Kind::ProxyOp:
      event->proxy_op.is_send = word == "SEND";
      if (word == "SEND" || word == "RECV") return Status();
      break;
    default:
      break;
  }
  return Status::error("a start of " + std::string(kKindNames[static_cast<unsigned>(kind)]) +
                       " has no word like '" + std::string(word) + "'");
}

Status LineParser::set_argument(std::string_view key, std::string_view value, LogLine* line,
                                abi::v7::EventDescr* event) {
  bool ok = false;
  switch (line->kind) {
    case Kind::Coll:
      if (key == "seq") ok = parse_number(value, &event->coll.seq_number);
      if (key == "count") ok = parse_number(value, &event->coll.count);
      if (key == "root") ok = parse_number(value, &event->coll.root);
      if (key == "ch") ok = parse_number(value, &event->coll.channels);
      if (key == "w") ok = parse_number(value, &event->coll.warps);
      if (key == "pgroup") ok = parse_number(value, &line->parent_group);
      break;
    case Kind::P2p:
      if (key == "count") ok = parse_number(value, &event->p2p.count);
      if (key == "peer") ok = parse_number(value, &event->p2p.peer);
      if (key == "ch") ok = parse_number(value, &event->p2p.channels);
      if (key == "pgroup") ok = parse_number(value, &line->parent_group);
      break;
    case Kind::CollApi:
      if (key == "count") ok = parse_number(value, &event->coll_api.count);
      if (key == "root") ok = parse_number(value, &event->coll_api.root);
      break;
    case Kind::P2pApi:
      if (key == "count") ok = parse_number(value, &event->p2p_api.count);
      break;
    case Kind::GroupApi:
      if (key == "depth") ok = parse_number(value, &event->group_api.group_depth);
      if (key == "graph") ok = assign_flag(value, &event->group_api.graph_captured);
      break;
    case Kind::ProxyOp:
      if (key == "ch") ok = parse_number(value, &event->proxy_op.channel_id);
      if (key == "peer") ok = parse_number(value, &event->proxy_op.peer);
      if (key == "nsteps") ok = parse_number(value, &event->proxy_op.steps);
      if (key == "chunk") ok = parse_number(value, &event->proxy_op.chunk_size);
      if (key == "pid") ok = value == "self" || parse_number(value, &event->proxy_op.pid);
      break;
    case Kind::ProxyStep:
      if (key == "step") ok = parse_number(value, &event->proxy_step.step);
      break;
    case Kind::KernelCh:
      if (key == "ch") ok = parse_number(value, &event->kernel_ch.channel_id);
      if (key == "pTimer") ok = parse_number(value, &event->kernel_ch.p_timer);
      break;
    case Kind::NetPlugin:
      if (key == "id") ok = parse_number(value, &event->net_plugin.id);
      if (key == "data")
        ok = value.substr(0, 2) == "0x" || value == "(nil)";  // a pointer of the recorded process
      break;
    default:
      break;
  }
  if (ok) return Status();
  return Status::error("a start of " + std::string(kKindNames[static_cast<unsigned>(line->kind)]) +
                       " has no argument like '" + std::string(key) + "=" + std::string(value) +
                       "'");
}

}  // namespace lockstep::driver
