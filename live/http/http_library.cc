#include "live/http/http_library.h"

#include <dlfcn.h>

#include "base/system.h"

namespace lockstep::serve {
namespace {

constexpr const char* kName = "liblockstep-http.so";

// The function's address.
Result<void*> load() {
  const std::string command = link_target("/proc/self/exe");
  const std::string beside = command.substr(0, command.rfind('/'));
  std::string why;
  for (const std::string& folder : {beside, beside + "/../lib"}) {
    const std::string path = folder + "/" + kName;
    if (void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL)) {
      void* function = dlsym(library, kHttpServerFunction);
      if (function != nullptr) return function;
      return Status::error(path + " belongs to another version of lockstep");
    }
    if (why.empty()) why = dlerror();
  }
  return Status::error("the server's library cannot be loaded (" + why +
                       "): install cpp-httplib (Debian: libcpp-httplib-dev, with libssl-dev) and "
                       "build lockstep again");
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
