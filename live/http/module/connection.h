// One connection of a client as cpp-httplib's Stream, plain or with TLS: never blocks beyond a deadline,
// reads no more of a request than it may have, and ends when the server stops. Used by one thread.
#pragma once

#define CPPHTTPLIB_OPENSSL_SUPPORT  // as Debian's library was built: its types depend on it
#include <httplib.h>

#include <memory>

namespace lockstep::serve {

class Connection : public httplib::Stream {
 public:
  // Takes over the socket. `tls` may be null; `stop` is readable when the server stops.
  Connection(int socket, SSL_CTX* tls, int stop);
  ~Connection() override;
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  // TLS's beginning, where there is TLS.
  bool open();
  // Waits for the first byte of a request; false when none comes.
  bool next_request(int patience_ms);
  // After an answer to a request that was not read to its end: takes some of the rest, so that the answer
  // is not lost with it.
  void linger();

  bool is_readable() const override;
  bool is_writable() const override;
  ssize_t read(char* to, size_t size) override;
  ssize_t write(const char* from, size_t size) override;
  void get_remote_ip_and_port(std::string& ip, int& port) const override;
  void get_local_ip_and_port(std::string& ip, int& port) const override;
  socket_t socket() const override { return socket_; }

 private:
  int64_t deadline_in(int patience_ms) const;
  // Until the socket is ready for `events`; false at the deadline or when the server stops.
  bool wait(short events, int64_t deadline_ns) const;
  // One try of a read, a write or TLS's beginning: bytes, 0 at the end, or -1 with what to wait for.
  ssize_t try_read(char* to, size_t size, short* events);
  ssize_t try_write(const char* from, size_t size, short* events);
  ssize_t tls_result(int result, short* events);

  int socket_, stop_;
  std::unique_ptr<SSL, void (*)(SSL*)> tls_;
  int64_t read_deadline_ns_ = 0, write_deadline_ns_ = 0;
  size_t left_ = 0;  // bytes that the request may still have
  char first_ = 0;
  bool has_first_ = false;
};

}  // namespace lockstep::serve
