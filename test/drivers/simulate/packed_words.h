// Words of records that nobody needs for a while, compressed. One thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace lockstep::simulate {

class PackedWords {
 public:
  bool empty() const { return pieces_.empty(); }
  void add(const std::vector<uint64_t>& words);
  // All of them, in their order, before those of `words`; none are left here.
  void move_before(std::vector<uint64_t>* words);

 private:
  struct Piece {
    size_t words;
    std::vector<char> bytes;
  };
  std::vector<Piece> pieces_;
};

}  // namespace lockstep::simulate
