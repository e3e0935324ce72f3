// The server of liblockstep-http.so: cpp-httplib reads requests and writes answers, the limits on clients
// are ours (http.h). The only user of that library.
#include "live/http/module/http_server.h"

#include <openssl/ssl.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>

#include "live/http/module/connection.h"

namespace lockstep::serve {
namespace {

constexpr size_t kMostBodyBytes = 64 << 10;

// Whether this thread is to close connections at once; whether the answer that it gave ends its
// connection, because the request's body was not read.
thread_local bool too_many = false, last_of_connection = false;
// What this thread's client takes, hidden from the library: it would compress every text once more, with Brotli
// at its slowest, which is 2 to 3 s for the 2 MB of /api/run of 10,240 ranks.
thread_local std::string accept_encoding;

void hide_encodings(httplib::Request& request) {
  accept_encoding = request.get_header_value("Accept-Encoding");
  request.headers.erase("Accept-Encoding");
}

// The threads that answer, and the connections that wait for one.
class Threads : public httplib::TaskQueue {
 public:
  Threads() {
    for (size_t i = 0; i < kHttpThreads; ++i) threads_.emplace_back([this] { work(); });
  }

  void enqueue(std::function<void()> task) override {
    {
      std::unique_lock<std::mutex> lock(mutex_);
      if (tasks_.size() < kMostWaiting) {
        tasks_.push_back(std::move(task));
        lock.unlock();
        more_.notify_one();
        return;
      }
    }
    too_many = true;
    task();
    too_many = false;
  }
  void shutdown() override {
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      ends_ = true;
    }
    more_.notify_all();
    for (std::thread& thread : threads_) thread.join();
    threads_.clear();
  }
  bool others_wait() {
    const std::lock_guard<std::mutex> lock(mutex_);
    return !tasks_.empty();
  }

 private:
  void work() {
    while (true) {
      std::function<void()> task;
      {
        std::unique_lock<std::mutex> lock(mutex_);
        more_.wait(lock, [this] { return ends_ || !tasks_.empty(); });
        if (tasks_.empty()) return;
        task = std::move(tasks_.front());
        tasks_.pop_front();
      }
      task();
    }
  }

  std::mutex mutex_;  // guards all below
  std::condition_variable more_;
  std::deque<std::function<void()>> tasks_;
  bool ends_ = false;
  std::vector<std::thread> threads_;
};

HttpRequest request_of(const httplib::Request& from) {
  HttpRequest request;
  request.method = from.method;
  request.path = from.path;
  for (const auto& [name, value] : from.params) request.parameters.emplace(name, value);
  request.authorization = from.get_header_value("Authorization");
  request.host = from.get_header_value("Host");
  request.origin = from.get_header_value("Origin");
  request.content_type = from.get_header_value("Content-Type");
  request.accept_encoding = accept_encoding;
  request.remote = from.remote_addr;
  return request;
}

void give(HttpResponse&& from, httplib::Response* to) {
  to->status = from.status;
  to->body = std::move(from.body);
  to->set_header("Content-Type", from.type);
  for (const auto& [name, value] : from.headers) to->set_header(name, value);
}

using Tls = std::unique_ptr<SSL_CTX, void (*)(SSL_CTX*)>;

class Server : public HttpServer, private httplib::Server {
 public:
  Server(HttpHandler* handler, Tls tls) : handler_(*handler), tls_(std::move(tls)) {
    new_task_queue = [this] { return threads_ = new Threads; };
    set_keep_alive_max_count(1000);
    // Not SO_REUSEPORT, the library's choice: a port in use is to be refused.
    set_socket_options([](socket_t socket) {
      const int yes = 1;
      setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes));
    });
    set_tcp_nodelay(true);
    set_pre_routing_handler(
        [this](const httplib::Request& from, httplib::Response& to) { return route(from, &to); });
    // Of any path: those that take no body have been refused by then.
    Post(".*", [this](const httplib::Request& from, httplib::Response& to,
                      const httplib::ContentReader& reader) { post(from, reader, &to); });
    set_exception_handler(
        [](const httplib::Request&, httplib::Response& to, const std::exception_ptr&) {
          to.status = 500;
          to.body = "{\"error\":\"the server could not answer; it goes on\"}\n";
          last_of_connection = true;
        });
  }
  ~Server() override {
    if (stop_fd_ >= 0) close(stop_fd_);
  }

  bool bind(const HttpOptions& options) {
    if (stop_fd_ < 0) return false;
    if (options.port == 0) {
      const int port = bind_to_any_port(options.address);
      port_ = static_cast<uint16_t>(port);
      return port > 0;
    }
    port_ = options.port;
    return bind_to_port(options.address, options.port);
  }
  uint16_t port() const override { return port_; }
  void serve() override {
    listen_after_bind();
    over_ = true;
  }
  void stop() override {
    const uint64_t one = 1;
    if (write(stop_fd_, &one, sizeof(one)) != sizeof(one)) return;
    // The library forgets a stop that comes before it listens.
    while (!is_running() && !over_) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    httplib::Server::stop();
  }

 private:
  using Outcome = httplib::Server::HandlerResponse;

  Outcome route(const httplib::Request& from, httplib::Response* to) {
    const HttpRequest request = request_of(from);
    HttpResponse response;
    const bool has_body = from.method == "POST";
    if (handler_.refuse(request, &response)) {
      last_of_connection = true;
    } else if (has_body) {
      return Outcome::Unhandled;
    } else {
      handler_.answer(request, &response);
    }
    give(std::move(response), to);
    return Outcome::Handled;
  }

  void post(const httplib::Request& from, const httplib::ContentReader& reader,
            httplib::Response* to) {
    HttpRequest request = request_of(from);
    HttpResponse response;
    const bool whole = reader([&](const char* bytes, size_t size) {
      if (request.body.size() + size > kMostBodyBytes) return false;
      request.body.append(bytes, size);
      return true;
    });
    if (whole) {
      handler_.answer(request, &response);
    } else {
      last_of_connection = true;
      response.status = 413;
      response.body = "{\"error\":\"the body is damaged or longer than 64 KiB\"}\n";
    }
    give(std::move(response), to);
  }

  bool process_and_close_socket(socket_t socket) override {
    Connection connection(socket, tls_.get(), stop_fd_);
    if (too_many || !connection.open()) return false;
    int patience_ms = kRequestPatienceMs;
    while (connection.next_request(patience_ms)) {
      last_of_connection = false;
      bool closed = false;
      const bool done = process_request(connection, false, closed, hide_encodings);
      // An idle client keeps its thread only while nobody else wants it.
      if (last_of_connection) connection.linger();
      if (!done || closed || last_of_connection || threads_->others_wait()) return done;
      patience_ms = kIdlePatienceMs;
    }
    return true;
  }

  HttpHandler& handler_;
  Tls tls_;
  Threads* threads_ = nullptr;  // owned by the library while it listens
  const int stop_fd_ = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  uint16_t port_ = 0;
  std::atomic<bool> over_{false};
};

// Empty: the files are good.
std::string load(const HttpOptions& options, SSL_CTX* tls) {
  SSL_CTX_set_min_proto_version(tls, TLS1_2_VERSION);
  if (SSL_CTX_use_certificate_chain_file(tls, options.certificate.c_str()) != 1)
    return options.certificate + ": no certificate chain in PEM can be read there";
  if (SSL_CTX_use_PrivateKey_file(tls, options.key.c_str(), SSL_FILETYPE_PEM) != 1)
    return options.key + ": no private key in PEM that fits the certificate can be read there";
  const char* const authorities = options.client_authorities.c_str();
  if (options.client_authorities.empty()) return "";
  STACK_OF(X509_NAME)* const names = SSL_load_client_CA_file(authorities);
  if (names != nullptr) SSL_CTX_set_client_CA_list(tls, names);
  if (names == nullptr || SSL_CTX_load_verify_locations(tls, authorities, nullptr) != 1)
    return options.client_authorities + ": no certificates in PEM can be read there";
  SSL_CTX_set_verify(tls, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, nullptr);
  // OpenSSL resumes no session of a client that was verified without a name for them.
  static constexpr unsigned char kSessions[] = "lockstep";
  SSL_CTX_set_session_id_context(tls, kSessions, sizeof(kSessions) - 1);
  return "";
}

}  // namespace
}  // namespace lockstep::serve

extern "C" __attribute__((visibility("default"))) lockstep::serve::HttpServer* lockstep_http_server(
    const lockstep::serve::HttpOptions& options, lockstep::serve::HttpHandler* handler,
    std::string* error) {
  using namespace lockstep::serve;
  Tls tls(nullptr, SSL_CTX_free);
  if (!options.certificate.empty()) {
    tls.reset(SSL_CTX_new(TLS_server_method()));
    *error = tls == nullptr ? "TLS cannot be set up" : load(options, tls.get());
    if (!error->empty()) return nullptr;
  }
  auto server = std::make_unique<lockstep::serve::Server>(handler, std::move(tls));
  if (server->bind(options)) return server.release();
  *error = "cannot listen on " + options.address + ", port " + std::to_string(options.port) +
           ": is it in use? --port 0 takes a free one";
  return nullptr;
}
