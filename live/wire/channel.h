// A connection between asker and agent, from either end: frames in both directions, each of one type
// and at most 64 KiB. Over TCP they are encrypted and authenticated one after the other
// (crypto_secretstream, a key for each direction), so that a frame that was changed, repeated, left out
// or cut off ends the connection; over the own host's Unix socket they are plain, and the kernel says
// who the peer is. No call waits beyond the deadline. One thread per object.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "live/wire/hello.h"
#include "lockstep/status.h"

namespace lockstep::live {

enum class FrameType : uint8_t {
  Question = 1,  // asker: a JSON object, the whole question
  Rows = 2,      // agent: the next bytes of the answer's rows
  Part = 3,      // agent: bytes of a part
  End = 4,       // agent: a JSON object, the answer is whole
  Refusal = 5,   // agent: a sentence, there is no answer
};
constexpr size_t kMostFrameBytes = size_t{64} << 10;  // of what a frame carries, without its type

struct ChannelFrame {
  FrameType type = FrameType::End;
  std::string bytes;
};

class Channel {
 public:
  // Owns the connected socket. `deadline_ns` is of CLOCK_MONOTONIC.
  Channel(int fd, int64_t deadline_ns);
  ~Channel();
  Channel(const Channel&) = delete;
  Channel& operator=(const Channel&) = delete;

  void set_deadline(int64_t deadline_ns) { deadline_ns_ = deadline_ns; }

  // The hellos, before any frame; not over a Unix socket.
  Status greet_as_asker(const LiveKey& key);
  Status greet_as_agent(const LiveKey& key);

  // `last`: this side sends no more.
  Status send(FrameType type, std::string_view bytes, bool last = false);
  // The error says so when the other side ended before its last frame.
  Result<ChannelFrame> receive();

  uint64_t received() const { return received_; }  // bytes

 private:
  struct Cipher;

  Status start_ciphers(const Key& sends, const Key& receives);
  Status send_all(std::string_view bytes);
  Status receive_all(char* to, size_t bytes);
  Status wait_for(short events);
  Status refuse(const LiveKey& key, Verdict verdict, std::string_view client);

  int fd_;
  int64_t deadline_ns_;
  uint64_t received_ = 0;
  bool ended_ = false;              // the other side sent its last frame
  std::unique_ptr<Cipher> cipher_;  // none over a Unix socket
};

// The length that stands before a frame's bytes on the wire, from 4 bytes; 0 for one that no frame has.
// `overhead`: what the cipher adds.
uint32_t parse_frame_length(const uint8_t* bytes, size_t overhead);

}  // namespace lockstep::live
