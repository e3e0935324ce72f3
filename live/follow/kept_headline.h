// The first sentence about a run, as it was read last: kept with what else was found (RUN/findings/headline.json; where that
// cannot be written, in the user's cache), so that a list of runs says it without reading a record. Any thread.
#pragma once

#include <optional>
#include <string>

#include "analysis/report/report_data.h"

namespace lockstep::serve {

struct KeptHeadline {
  std::string kind, text;       // analysis::Headline
  double cost_share = -1;       // negative: not known
  bool last_part_only = false;  // of a run that was read in parts it is about the last
};

KeptHeadline headline_of(const analysis::Report& report, bool last_part_only);

// In the place of an earlier one. Where it cannot be written, nothing is kept.
void keep_headline(const std::string& directory, const KeptHeadline& headline);

// Nothing where none is kept, or one of a recording that was another: it has grown since, or was aligned.
std::optional<KeptHeadline> kept_headline(const std::string& directory);

}  // namespace lockstep::serve
