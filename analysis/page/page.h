// The page that shows a run: HTML with its script and style inside, one for a run that is served (page_shell(): it asks
// /api/run and its neighbours) and one with its data inside, that opens without a network. What it may do is stated in
// its Content-Security-Policy: its own script and style, known by their hashes, and requests to nobody but its server.
// Where the program was built without the script (esbuild, npm), the page is `plain` and says what is missing. Pure
// functions; texts that come from recordings are escaped here.
#pragma once

#include <string>
#include <string_view>

#include "analysis/page/whole_run.h"

namespace lockstep::analysis {

// `title` is shown until the data are there.
std::string page_shell(const std::string& title);
// For the header of the answer that carries it.
std::string page_shell_policy();

struct PageData {
  std::string title;
  std::string run;  // the JSON of `lockstep report --json` (analysis/report/report_json.h)
  WholeTiles tiles;
  std::string moments;  // slowest_moments()
  std::string stacks;   // where the ranks stood when somebody asked: JSON, or empty
  std::string plain;    // HTML, escaped already: what readers without a script see
};
std::string page_with_data(const PageData& data);

// With &, <, > and quotes as HTML has them.
std::string html_text(std::string_view text);

}  // namespace lockstep::analysis
