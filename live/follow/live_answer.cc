#include "live/follow/live_answer.h"

#include "base/clock_ns.h"
#include "base/json.h"
#include "live/http/gate.h"
#include "live/http/parameters.h"

namespace lockstep::serve {

HttpResponse answer_live(const Reading& reading, const std::string& trouble,
                         const HttpRequest& request) {
  constexpr int64_t kNsPerMs = 1'000'000;
  const Parameters parameters(request, {});
  if (!parameters.error().empty()) return error_response(400, parameters.error());
  JsonFields out;
  out.object([&] {
    out.boolean("live", reading.run->summary().running);
    out.number("reading", reading.number);
    out.number("age_ms", (mono_now_ns() - reading.begun_ns) / kNsPerMs);
    out.number("took_ms", reading.took_ns / kNsPerMs);
    out.number("to_ns", reading.run->pyramid().length_ns());
    out.string("trouble", trouble);
  });
  return json_response(out);
}

}  // namespace lockstep::serve
