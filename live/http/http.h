// HTTP as the server of a run sees it: a request, an answer, and who gives it. The server itself is a
// library of its own, liblockstep-http.so, loaded by `lockstep serve` alone (http_library.h), so that
// nothing else needs cpp-httplib and what it brings. Both sides are built together and share these types.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace lockstep::serve {

struct HttpRequest {
  std::string method, path;  // decoded, without the query
  std::string
      run;  // of a folder of runs, the one that `path` is within; set behind the gate's door
  std::map<std::string, std::string> parameters;  // of the query; the first of several
  std::string body;
  std::string authorization, host, origin, content_type, accept_encoding;
  std::string remote;  // numeric address
};

struct HttpResponse {
  int status = 200;
  std::string type = "application/json";
  std::string body;
  std::vector<std::pair<std::string, std::string>> headers;
};

// Called by several threads at once.
class HttpHandler {
 public:
  virtual ~HttpHandler() = default;
  // Before the body is read. True: `response` is the answer, and the body stays unread.
  virtual bool refuse(const HttpRequest& request, HttpResponse* response) = 0;
  virtual void answer(const HttpRequest& request, HttpResponse* response) = 0;
};

struct HttpOptions {
  std::string address = "127.0.0.1";
  uint16_t port = 0;             // 0: a free one
  std::string certificate, key;  // PEM files; empty: no TLS
  // PEM file; with it only clients with a certificate that one of these signed.
  std::string client_authorities;
};

// What a client may take, so that none can keep the others out.
constexpr size_t kMostRequestBytes = 256 << 10;  // line, headers and body
constexpr int kRequestPatienceMs = 10'000;       // from its first byte to its last
constexpr int kIdlePatienceMs = 15'000;          // between two requests of a connection
constexpr int kWritePatienceMs = 300'000;        // for an answer, and
constexpr int kStalledPatienceMs = 10'000;       // without a byte taken
constexpr size_t kHttpThreads = 48;              // requests at a time
constexpr size_t kMostWaiting = 64;              // connections beyond them; more are closed at once

class HttpServer {
 public:
  virtual ~HttpServer() = default;
  virtual uint16_t port() const = 0;
  // Until stop(), which any other thread may call, also before this one is here.
  virtual void serve() = 0;
  virtual void stop() = 0;
};

// The one function of the library, under this name. Null: `error` says why.
constexpr const char* kHttpServerFunction = "lockstep_http_server";
using MakeHttpServer = HttpServer* (*)(const HttpOptions& options, HttpHandler* handler,
                                       std::string* error);

}  // namespace lockstep::serve
