// A map whose key mostly is the one of before, as where the operations of a communicator follow each other. One thread.
#pragma once

#include <unordered_map>

namespace lockstep::analysis {

template <typename Key, typename Value>
class LastKnown {
 public:
  Value& operator[](Key key) {
    if (last_ == nullptr || key != key_) last_ = &all_[key];  // never moves
    key_ = key;
    return *last_;
  }

 private:
  std::unordered_map<Key, Value> all_;
  Key key_{};
  Value* last_ = nullptr;
};

}  // namespace lockstep::analysis
