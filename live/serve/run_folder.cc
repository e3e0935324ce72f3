#include "live/serve/run_folder.h"

#include <algorithm>
#include <filesystem>

#include "base/clock_ns.h"
#include "base/json.h"
#include "dumper/run/run_files.h"
#include "live/http/gate.h"
#include "live/http/parameters.h"
#include "live/serve/awaited.h"
#include "live/serve/compare_answer.h"

namespace lockstep::serve {
namespace {

// Whether one of the folders that may be a run passes.
template <class Passes>
bool any_run(const std::string& parent, const Passes& passes) {
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(parent, error)) {
    const std::string path = entry.path().string();
    if (entry.is_directory(error) && passes(path) && !dumper::is_host_directory(path)) return true;
  }
  return false;
}

}  // namespace

bool has_runs(const std::string& parent, const std::function<bool(const std::string&)>& is_run) {
  return any_run(parent, is_run);
}

bool RunFolder::has_run(const std::string& name) const {
  return any_run(sources_.parent, [&](const std::string& path) {
    return std::filesystem::path(path).filename() == name && sources_.is_run(path);
  });
}

HttpResponse RunFolder::answer(const HttpRequest& request) {
  if (request.path == "/") return page_answer();
  if (!request.run.empty()) return answer_of_run(request);
  if (request.path != "/api/run")
    return error_response(404, "a folder of runs has /api/run, and each run /runs/NAME/api/");
  JsonFields out;
  out.object([&] {
    out.string("folder", std::filesystem::path(sources_.parent).filename().string());
    out.raw("runs", sources_.list());
  });
  return json_response(out);
}

std::shared_ptr<RunFolder::Place> RunFolder::place_of(const std::string& name) {
  const std::lock_guard<std::mutex> lock(mutex_);
  asked_[name] = mono_now_ns();
  std::shared_ptr<Place>& place = places_[name];
  if (place == nullptr) place = std::make_shared<Place>();
  std::shared_ptr<Place> found = place;
  if (places_.size() > kMostOpenRuns) {
    const auto oldest =
        std::min_element(asked_.begin(), asked_.end(),
                         [](const auto& a, const auto& b) { return a.second < b.second; });
    places_.erase(oldest->first);
    asked_.erase(oldest);
  }
  return found;
}

std::shared_ptr<RunAnswers> RunFolder::run_of(const std::string& name, const HttpRequest& request,
                                              HttpResponse* refusal) {
  if (!has_run(name)) {
    *refusal = error_response(404, "there is no such run here");
    return nullptr;
  }
  const std::shared_ptr<Place> place = place_of(name);
  const std::unique_lock<std::timed_mutex> lock(place->mutex,
                                                std::chrono::milliseconds(kOpeningPatienceMs));
  if (!lock.owns_lock()) {
    *refusal = error_response(503, "this run is being opened; try again in a few seconds");
    return nullptr;
  }
  if (place->run == nullptr) {
    const std::string directory = sources_.parent + "/" + name;
    auto opened = sources_.open(directory);
    if (!opened.ok()) {
      *refusal = dumper::has_segments(directory) ? error_response(503, opened.message())
                                                 : waiting_response(request, opened.message());
      return nullptr;
    }
    place->run = std::make_shared<RunAnswers>(std::move(opened.value()));
  }
  return place->run;
}

HttpResponse RunFolder::answer_of_run(const HttpRequest& request) {
  HttpResponse refusal;
  const std::shared_ptr<RunAnswers> run = run_of(request.run, request, &refusal);
  if (run == nullptr) return refusal;
  const bool compares = request.path == "/api/compare" && request.method == "GET";
  return compares ? compare(*run, request) : run->answer(request);
}

HttpResponse RunFolder::compare(const RunAnswers& run, const HttpRequest& request) {
  const Parameters parameters(request, {"with"});
  if (!parameters.error().empty()) return error_response(400, parameters.error());
  const auto with = request.parameters.find("with");
  if (with == request.parameters.end() || with->second.empty() || with->second == request.run)
    return error_response(400, "with: expected the name of another run of this folder");
  HttpResponse refusal;
  const std::shared_ptr<RunAnswers> other = run_of(with->second, request, &refusal);
  return other == nullptr ? refusal : answer_compare(*other->run(), *run.run());
}

}  // namespace lockstep::serve
