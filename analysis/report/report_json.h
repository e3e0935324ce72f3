// A report as JSON: what `lockstep report --json` prints, what report.html holds and what /api/run answers
// (docs/report.md). The caller opens and closes the object, and may add members of its own.
#pragma once

#include "analysis/report/report_compare.h"
#include "analysis/report/report_data.h"

namespace lockstep {
class JsonFields;
}

namespace lockstep::analysis {

// comparison: with earlier runs; null where none were named.
void put_report(const Report& report, const Comparison* comparison, JsonFields* out);

// Member `found_live`; nothing where nothing was kept.
void put_kept_findings(const KeptFindings& kept, JsonFields* out);

// Members `slower`, `faster`, `compared` and `compared_words`.
void put_comparison(const Comparison& comparison, JsonFields* out);

}  // namespace lockstep::analysis
