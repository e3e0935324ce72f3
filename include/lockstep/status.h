// What cold code returns when something can go wrong: a sentence for people, never an exception.
// The sentence names the file or key, what was expected, and what to do. Hot code (plugin/record)
// does not use this; it counts.
#pragma once

#include <optional>
#include <string>
#include <utility>

namespace lockstep {

class Status {
 public:
  Status() = default;
  static Status error(std::string sentence) { return Status(std::move(sentence)); }

  bool ok() const { return !message_.has_value(); }
  // The sentence; only meaningful when !ok().
  const std::string& message() const { return *message_; }

 private:
  explicit Status(std::string sentence) : message_(std::move(sentence)) {}
  std::optional<std::string> message_;
};

// A value or the sentence that says why there is none.
template <typename T>
class Result {
 public:
  Result(T value) : value_(std::move(value)) {}          // NOLINT: implicit on purpose
  Result(Status status) : status_(std::move(status)) {}  // NOLINT: implicit on purpose

  bool ok() const { return value_.has_value(); }
  T& value() { return *value_; }
  const T& value() const { return *value_; }
  const Status& status() const { return status_; }
  const std::string& message() const { return status_.message(); }

 private:
  std::optional<T> value_;
  Status status_;
};

}  // namespace lockstep
