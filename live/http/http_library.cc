#include "live/http/http_library.h"

#include <dlfcn.h>

#include <filesystem>

#include "base/system.h"

namespace lockstep::serve {
namespace {

constexpr const char* kName = "liblockstep-http.so";
constexpr const char* kInstead =
    "; until then `lockstep report` writes the page of a run as a file, report.html";

// The function's address.
Result<void*> load() {
  const std::string command = link_target("/proc/self/exe");
  const std::string beside = command.substr(0, command.rfind('/'));
  for (const std::string& folder : {beside, beside + "/../lib"}) {
    const std::string path = folder + "/" + kName;
    std::error_code error;
    if (!std::filesystem::exists(path, error)) continue;
    void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr)
      return Status::error(
          "the server's library cannot be loaded (" + std::string(dlerror()) +
          "): install the library that is missing here (of Debian: libssl3, and libcpp-httplib "
          "with the version that it names), or build lockstep on this system" +
          kInstead);
    void* function = dlsym(library, kHttpServerFunction);
    if (function != nullptr) return function;
    return Status::error(path + " belongs to another version of lockstep");
  }
  return Status::error("there is no " + std::string(kName) + " in " + beside +
                       " or ../lib: build lockstep where cpp-httplib and OpenSSL are installed "
                       "(Debian: libcpp-httplib-dev, libssl-dev)" +
                       kInstead);
}

}  // namespace

Result<std::shared_ptr<HttpServer>> make_http_server(const HttpOptions& options,
                                                     HttpHandler* handler) {
  const auto function = load();
  if (!function.ok()) return function.status();
  const auto make = reinterpret_cast<MakeHttpServer>(function.value());
  std::string error;
  std::shared_ptr<HttpServer> server(make(options, handler, &error));
  if (server == nullptr) return Status::error(error);
  return server;
}

}  // namespace lockstep::serve
