// The page's script and style inside the program, as esbuild made them from page/. The Makefile sets LOCKSTEP_PAGE when
// it could; without, all are empty.
#pragma once

#include <string>

namespace lockstep::analysis {

struct PageFiles {
  std::string script, style;
  std::string script_hash, style_hash;  // SHA-256, base64, as a Content-Security-Policy names them
};
PageFiles page_files();

}  // namespace lockstep::analysis
