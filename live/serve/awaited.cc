#include "live/serve/awaited.h"

#include <chrono>

#include "base/clock_ns.h"
#include "base/json.h"
#include "live/http/gate.h"

namespace lockstep::serve {
namespace {

constexpr int64_t kEachNs = 1'000'000'000;
constexpr int64_t kPatienceMs = 5'000;  // of others than the one who looks

}  // namespace

HttpResponse waiting_response(const HttpRequest& request, const std::string& why) {
  if (request.path == "/") return page_answer();
  if (request.path != "/api/run" || request.method != "GET") return error_response(503, why);
  JsonFields out;
  out.object([&] { out.string("waiting", why); });
  return json_response(out);
}

std::shared_ptr<Answers> Awaited::opened() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return answers_;
}

bool Awaited::is_folder() const {
  const auto answers = opened();
  return answers != nullptr && answers->is_folder();
}

std::shared_ptr<Answers> Awaited::look(std::string* why) {
  const std::unique_lock<std::timed_mutex> lock(looking_, std::chrono::milliseconds(kPatienceMs));
  if (!lock.owns_lock()) {
    *why = "the run is being opened";
    return nullptr;
  }
  if (auto answers = opened()) return answers;
  if (looked_ns_ == 0 || mono_now_ns() - looked_ns_ >= kEachNs) {
    auto found = open_();
    looked_ns_ = mono_now_ns();
    if (found.ok()) {
      const std::lock_guard<std::mutex> answers_lock(mutex_);
      answers_ = std::move(found.value());
      return answers_;
    }
    why_ = found.message();
  }
  *why = why_;
  return nullptr;
}

HttpResponse Awaited::answer(const HttpRequest& request) {
  std::shared_ptr<Answers> answers = opened();
  if (answers == nullptr && request.path == "/") return page_answer();
  std::string why;
  if (answers == nullptr) answers = look(&why);
  return answers == nullptr ? waiting_response(request, why) : answers->answer(request);
}

}  // namespace lockstep::serve
