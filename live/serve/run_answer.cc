#include "live/serve/run_answer.h"

#include <filesystem>

#include "analysis/pyramid/row_groups.h"
#include "base/json.h"
#include "live/follow/stacks_tree.h"
#include "live/http/gate.h"
#include "live/http/parameters.h"
#include "lockstep/version.h"

namespace lockstep::serve {
namespace {

using analysis::bucket_ns;

void put_ranks(const ServedRun& run, JsonFields* out) {
  out->list("ranks", run.pyramid().lanes(), [&](const analysis::LaneFacts& lane) {
    out->object([&] {
      out->number("rank", lane.rank);
      out->string("host", lane.host);
      out->strings("communicators", lane.communicators);
    });
  });
}

}  // namespace

HttpResponse answer_run(const Reading& reading, const HttpRequest& request) {
  const ServedRun& run = *reading.run;
  const Parameters parameters(request, {});
  if (!parameters.error().empty()) return error_response(400, parameters.error());
  JsonFields out;
  out.object([&] {
    out.object("serve", [&] {
      out.boolean("live", run.summary().running);
      out.number("reading", reading.number);
      out.boolean("stacks_kept", has_kept_stacks(run.directory()));
      out.string("version", kVersion);
      out.string("run", std::filesystem::path(run.directory()).filename().string());
      out.number("from_ns", int64_t{0});
      out.number("to_ns", run.pyramid().length_ns());
      out.number("origin_unix_ns", run.summary().origin_unix_ns);
      out.boolean("one_clock", run.summary().one_clock);
      out.number("report_from_ns", run.summary().from_ns);
      // A copy of Perfetto's page that this site hosts; without one the page offers a download.
      if (!run.perfetto_ui().empty()) out.string("perfetto_ui", run.perfetto_ui());
      std::vector<int> levels;
      for (int level = 0; level < analysis::kLevels; ++level) levels.push_back(level);
      out.list("levels", levels, [&](int level) {
        out.object([&] {
          out.number("level", level);
          out.number("bucket_ns", bucket_ns(level));
          out.boolean("stored", level >= run.pyramid().finest());
        });
      });
      out.strings("groups", analysis::row_groups(run.pyramid().lanes(), run.summary().dimensions));
      put_ranks(run, &out);
    });
    out.number("origin_unix_ns", run.summary().origin_unix_ns);
  });
  // Two objects as one: the report's members, then these.
  const std::string& report = run.summary().report;
  HttpResponse response;
  const std::string more(out.text());
  response.body = report.substr(0, report.size() - 1) + "," + more.substr(1) + "\n";
  return response;
}

}  // namespace lockstep::serve
