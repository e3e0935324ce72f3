#include "live/http/site.h"

#include <filesystem>

#include "base/system.h"
#include "base/text.h"
#include "live/http/packing.h"

namespace lockstep::serve {
namespace {

namespace fs = std::filesystem;

constexpr size_t kMostFiles = 5000;  // Perfetto's has some hundreds
constexpr size_t kMostSiteFileBytes = size_t{256} << 20;

constexpr std::pair<const char*, const char*> kTypes[] = {{".html", "text/html; charset=utf-8"},
                                                          {".js", "text/javascript"},
                                                          {".css", "text/css"},
                                                          {".wasm", "application/wasm"},
                                                          {".json", "application/json"},
                                                          {".svg", "image/svg+xml"},
                                                          {".png", "image/png"},
                                                          {".woff2", "font/woff2"}};

const char* type_of(const std::string& path) {
  for (const auto& [ending, type] : kTypes) {
    if (has_ending(path, ending)) return type;
  }
  return "application/octet-stream";
}

}  // namespace

Result<std::unique_ptr<Site>> Site::of(const std::string& folder, Gate gate) {
  std::unique_ptr<Site> site(new Site(std::move(gate)));
  std::error_code error;
  for (const auto& entry : fs::recursive_directory_iterator(folder, error)) {
    if (entry.is_symlink(error) || !entry.is_regular_file(error)) continue;
    site->files_["/" + entry.path().lexically_relative(folder).string()] = entry.path().string();
    if (site->files_.size() > kMostFiles)
      return Status::error(folder + ": more than " + std::to_string(kMostFiles) +
                           " files; expected what Perfetto's perfetto-ui.zip has");
  }
  const auto index = site->files_.find("/index.html");
  if (index == site->files_.end())
    return Status::error(folder +
                         ": there is no index.html; expected what Perfetto's perfetto-ui.zip has");
  site->files_["/"] = index->second;
  return site;
}

bool Site::refuse(const HttpRequest& request, HttpResponse* response) {
  if (!gate_.knows(request.host)) {
    *response = error_response(403, "this server is not known by the name in the Host header");
  } else if (request.method != "GET") {
    *response = error_response(405, "only GET");
  } else {
    return false;
  }
  return true;
}

void Site::answer(const HttpRequest& request, HttpResponse* response) {
  const auto found = files_.find(request.path);
  if (found == files_.end()) {
    *response = error_response(404, "there is no such file");
    return;
  }
  auto text = read_small_file(found->second, kMostSiteFileBytes);
  if (!text.ok()) {
    *response = error_response(503, "the file cannot be read: " + text.message());
    return;
  }
  response->type = type_of(found->second);
  response->body = std::move(text.value());
  response->headers.emplace_back("X-Content-Type-Options", "nosniff");
  pack_text(request, response);
}

}  // namespace lockstep::serve
