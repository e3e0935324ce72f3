#include "live/wire/channel.h"

#include <poll.h>
#include <sodium.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "base/clock_ns.h"

namespace lockstep::live {
namespace {

constexpr size_t kCipherBytes = crypto_secretstream_xchacha20poly1305_ABYTES;
constexpr size_t kHeaderBytes = crypto_secretstream_xchacha20poly1305_HEADERBYTES;
constexpr size_t kLengthBytes = 4;

uint8_t* bytes_of(std::string* text) { return reinterpret_cast<uint8_t*>(text->data()); }
const uint8_t* bytes_of(const std::string& text) {
  return reinterpret_cast<const uint8_t*>(text.data());
}

bool is_frame_type(uint8_t type) {
  return type >= static_cast<uint8_t>(FrameType::Question) &&
         type <= static_cast<uint8_t>(FrameType::Refusal);
}

std::string with_length(const std::string& sealed) {
  const auto size = static_cast<uint32_t>(sealed.size());
  std::string bytes;
  for (int shift = 24; shift >= 0; shift -= 8) bytes += static_cast<char>(size >> shift & 0xff);
  return bytes + sealed;
}

const char* sentence_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::OtherVersion:
      return "the agent there speaks another version of the protocol; use the same lockstep";
    case Verdict::OtherKey:
      return "the agent there has another key; give the run's own with --key";
    case Verdict::Welcome:
      break;
  }
  return "the agent there did not prove that it has the key; give the run's own with --key";
}

}  // namespace

struct Channel::Cipher {
  crypto_secretstream_xchacha20poly1305_state sends, receives;
};

uint32_t parse_frame_length(const uint8_t* bytes, size_t overhead) {
  uint32_t length = 0;
  for (size_t i = 0; i < kLengthBytes; ++i) length = length << 8 | bytes[i];
  return length < overhead + 1 || length > overhead + 1 + kMostFrameBytes ? 0 : length;
}

Channel::Channel(int fd, int64_t deadline_ns) : fd_(fd), deadline_ns_(deadline_ns) {}

Channel::~Channel() {
  if (cipher_ != nullptr) sodium_memzero(cipher_.get(), sizeof *cipher_);
  close(fd_);
}

Status Channel::wait_for(short events) {
  while (true) {
    const int64_t left_ns = deadline_ns_ - mono_now_ns();
    if (left_ns <= 0) return Status::error("no answer before the deadline");
    pollfd wanted{fd_, events, 0};
    const int64_t left_ms = std::min<int64_t>(left_ns / 1'000'000 + 1, 60'000);
    const int got = poll(&wanted, 1, static_cast<int>(left_ms));
    if (got > 0) return Status();
    if (got < 0 && errno != EINTR) return Status::error(std::strerror(errno));
  }
}

Status Channel::send_all(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t sent = ::send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent > 0) {
      bytes.remove_prefix(static_cast<size_t>(sent));
    } else if (errno == EAGAIN) {
      Status waited = wait_for(POLLOUT);
      if (!waited.ok()) return waited;
    } else if (errno != EINTR) {
      return Status::error(std::string("the connection broke: ") + std::strerror(errno));
    }
  }
  return Status();
}

Status Channel::receive_all(char* to, size_t bytes) {
  while (bytes > 0) {
    const ssize_t got = recv(fd_, to, bytes, MSG_DONTWAIT);
    if (got > 0) {
      to += got;
      bytes -= static_cast<size_t>(got);
      received_ += static_cast<uint64_t>(got);
    } else if (got == 0) {
      return Status::error("the connection ended in the middle");
    } else if (errno == EAGAIN) {
      Status waited = wait_for(POLLIN);
      if (!waited.ok()) return waited;
    } else if (errno != EINTR) {
      return Status::error(std::string("the connection broke: ") + std::strerror(errno));
    }
  }
  return Status();
}

Status Channel::start_ciphers(const Key& sends, const Key& receives) {
  auto cipher = std::make_unique<Cipher>();
  std::string mine(kHeaderBytes, '\0'), theirs(kHeaderBytes, '\0');
  crypto_secretstream_xchacha20poly1305_init_push(&cipher->sends, bytes_of(&mine), sends.data());
  Status status = send_all(mine);
  if (status.ok()) status = receive_all(theirs.data(), theirs.size());
  if (!status.ok()) return status;
  if (crypto_secretstream_xchacha20poly1305_init_pull(&cipher->receives, bytes_of(theirs),
                                                      receives.data()) != 0)
    return Status::error("the connection begins with nonsense");
  cipher_ = std::move(cipher);
  return Status();
}

Status Channel::greet_as_asker(const LiveKey& key) {
  const KeyPair pair = new_key_pair();
  ClientHello mine;
  mine.key_name = key.name;
  mine.public_key = pair.open;
  const std::string client = client_hello(key, mine);
  Status status = send_all(client);
  std::string server(kServerHelloBytes, '\0');
  if (status.ok()) status = receive_all(server.data(), server.size());
  if (!status.ok()) return status;
  const auto hello = parse_server_hello(server);
  if (!hello) return Status::error("what listens there is no lockstep agent");
  if (hello->verdict != Verdict::Welcome || !is_proved(key, server, client))
    return Status::error(sentence_of(hello->verdict));
  const auto keys = session_keys(key, pair, hello->public_key, client, server);
  if (!keys) return Status::error("what listens there is no lockstep agent");
  return start_ciphers(keys->to_server, keys->to_client);
}

Status Channel::refuse(const LiveKey& key, Verdict verdict, std::string_view client) {
  ServerHello hello;
  hello.verdict = verdict;
  static_cast<void>(send_all(server_hello(key, hello, client)));
  return Status::error(verdict == Verdict::OtherKey ? "an asker had another key"
                                                    : "an asker speaks another version");
}

// Until the asker has proved the key nothing is computed for it but one code and one product.
Status Channel::greet_as_agent(const LiveKey& key) {
  std::string client(kClientHelloBytes, '\0');
  Status status = receive_all(client.data(), client.size());
  if (!status.ok()) return status;
  const auto hello = parse_client_hello(client);
  if (!hello) return Status::error("an asker sent no hello");
  if (!is_proved(key, client)) return refuse(key, Verdict::OtherKey, client);
  if (hello->lowest_version > kProtocolVersion || hello->highest_version < kProtocolVersion)
    return refuse(key, Verdict::OtherVersion, client);
  const KeyPair pair = new_key_pair();
  ServerHello mine;
  mine.public_key = pair.open;
  const std::string server = server_hello(key, mine, client);
  Status sent = send_all(server);
  if (!sent.ok()) return sent;
  const auto keys = session_keys(key, pair, hello->public_key, client, server);
  if (!keys) return Status::error("an asker's key is none");
  return start_ciphers(keys->to_client, keys->to_server);
}

Status Channel::send(FrameType type, std::string_view bytes, bool last) {
  if (bytes.size() > kMostFrameBytes) return Status::error("more than a frame holds");
  std::string open(1, static_cast<char>(type));
  open += bytes;
  if (cipher_ == nullptr) return send_all(with_length(open));
  std::string sealed(open.size() + kCipherBytes, '\0');
  const uint8_t tag = last ? crypto_secretstream_xchacha20poly1305_TAG_FINAL
                           : crypto_secretstream_xchacha20poly1305_TAG_MESSAGE;
  crypto_secretstream_xchacha20poly1305_push(&cipher_->sends, bytes_of(&sealed), nullptr,
                                             bytes_of(open), open.size(), nullptr, 0, tag);
  return send_all(with_length(sealed));
}

Result<ChannelFrame> Channel::receive() {
  if (ended_) return Status::error("the other side had ended already");
  const size_t overhead = cipher_ == nullptr ? 0 : kCipherBytes;
  uint8_t length_bytes[kLengthBytes];
  Status status = receive_all(reinterpret_cast<char*>(length_bytes), sizeof length_bytes);
  if (!status.ok()) return status;
  const uint32_t length = parse_frame_length(length_bytes, overhead);
  if (length == 0) return Status::error("a frame has a length that none has");
  std::string sealed(length, '\0');
  status = receive_all(sealed.data(), sealed.size());
  if (!status.ok()) return status;
  if (cipher_ != nullptr) {
    std::string open(length - kCipherBytes, '\0');
    uint8_t tag = 0;
    if (crypto_secretstream_xchacha20poly1305_pull(&cipher_->receives, bytes_of(&open), nullptr,
                                                   &tag, bytes_of(sealed), sealed.size(), nullptr,
                                                   0) != 0)
      return Status::error("a frame was changed, repeated or left out on its way");
    ended_ = tag == crypto_secretstream_xchacha20poly1305_TAG_FINAL;
    sealed = std::move(open);
  }
  const auto type = static_cast<uint8_t>(sealed[0]);
  if (!is_frame_type(type)) return Status::error("a frame has a type that none has");
  sealed.erase(0, 1);
  return ChannelFrame{static_cast<FrameType>(type), std::move(sealed)};
}

}  // namespace lockstep::live
