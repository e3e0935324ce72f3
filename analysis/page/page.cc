#include "analysis/page/page.h"

#include "analysis/page/embedded.h"
#include "analysis/page/packed.h"

namespace lockstep::analysis {
namespace {

// `connect`: whom the script may ask.
std::string policy_of(const PageFiles& files, const char* connect) {
  std::string policy =
      "default-src 'none'; base-uri 'none'; form-action 'none'; img-src data: blob:; connect-src ";
  policy += connect;
  if (!files.script.empty())
    policy += "; script-src 'sha256-" + files.script_hash + "'; style-src 'sha256-" +
              files.style_hash + "'";
  return policy;
}

std::string head(const std::string& title, const PageFiles& files, const char* connect) {
  // An icon in the page itself, else browsers ask a server for one.
  return "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
         "<meta http-equiv=\"Content-Security-Policy\" content=\"" +
         policy_of(files, connect) +
         "\">\n<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
         "<meta name=\"referrer\" content=\"no-referrer\">\n<title>" +
         html_text(title) + "</title>\n<link rel=\"icon\" href=\"data:,\">\n<style>" + files.style +
         "</style></head>\n<body>\n";
}

// JSON as it may stand in a script element: no "</script", no "<!--".
std::string json_text(const std::string& json) {
  std::string safe;
  safe.reserve(json.size());
  for (const char c : json) {
    if (c == '<') {
      safe += "\\u003c";
    } else {
      safe += c;
    }
  }
  return safe;
}

std::string packed(const WholeTiles& tiles) {
  std::string scripts;
  for (const auto& [group, bytes] : tiles)
    scripts += "<script type=\"text/plain\" id=\"lockstep-tiles-" + group + "\">" +
               gzip_base64(bytes) + "</script>\n";
  return scripts;
}

std::string stacks(const PageData& data) {
  return data.stacks.empty() ? ""
                             : "<script type=\"application/json\" id=\"lockstep-stacks\">" +
                                   json_text(data.stacks) + "</script>\n";
}

constexpr const char* kNoScript =
    "<p>No plots: this lockstep was built without its page. Install esbuild and npm, run "
    "<code>scripts/install_deps.sh demo</code> and make again. The tables have the numbers.</p>\n";

}  // namespace

std::string html_text(std::string_view text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\'':
        out += "&#39;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

std::string page_shell_policy() {
  // What only a header can say: nobody else's page shows this one inside.
  return policy_of(page_files(), "'self'") + "; frame-ancestors 'none'";
}

std::string page_shell(const std::string& title) {
  const PageFiles files = page_files();
  std::string page =
      head(title, files, "'self'") + "<main id=\"page\"><h1>" + html_text(title) + "</h1></main>\n";
  if (files.script.empty()) return page + kNoScript + "</body></html>\n";
  return page +
         "<noscript><p>This page needs JavaScript. `lockstep report` writes the same as "
         "text.</p></noscript>\n" +
         "<script>" + files.script + "</script>\n</body></html>\n";
}

std::string page_with_data(const PageData& data) {
  const PageFiles files = page_files();
  const std::string page = head(data.title, files, "'none'");
  if (files.script.empty())
    return page + "<main>\n" + data.plain + kNoScript + "</main>\n</body></html>\n";
  return page + "<main id=\"page\"></main>\n<noscript>\n" + data.plain + "</noscript>\n" +
         "<script type=\"application/json\" id=\"lockstep-data\">" + json_text(data.run) +
         "</script>\n<script type=\"application/json\" id=\"lockstep-ops\">" +
         json_text(data.moments) + "</script>\n" + stacks(data) + packed(data.tiles) + "<script>" +
         files.script + "</script>\n</body></html>\n";
}

}  // namespace lockstep::analysis
