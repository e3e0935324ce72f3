#include "live/asker/answers_json.h"

#include "base/json.h"

namespace lockstep::live {

std::string all_rows(const Answers& answers) {
  std::string rows = "[";
  for (const HostRows& host : answers.hosts) {
    if (host.rows.size() <= 2) continue;
    if (rows.size() > 1) rows += ',';
    rows.append(host.rows, 1, host.rows.size() - 2);  // without its brackets
  }
  return rows + "]";
}

void put_answers(const Answers& answers, JsonFields* out) {
  out->number("hosts_asked", answers.hosts_asked);
  out->number("hosts_answered", answers.hosts_answered);
  out->list("failed", answers.failed, [&](const FailedHost& failed) {
    out->object([&] {
      out->string("host", failed.host);
      out->string("reason", failed.reason);
    });
  });
  out->number("oldest_data_ns", answers.oldest_data_ns);
  out->number("bytes", answers.bytes);
}

}  // namespace lockstep::live
