// A folder of runs: their list, and each of them beneath /runs/NAME/, opened when somebody first asks for it. A few stay
// open, those that were asked about last. Any number of threads at once.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "live/serve/answers.h"

namespace lockstep::serve {

constexpr size_t kMostOpenRuns = 4;
constexpr int64_t kOpeningPatienceMs = 5'000;  // of others than the one who opens a run

struct RunFolderSources {
  std::string parent;
  std::function<std::string()>
      list;  // the runs as a JSON array: what `lockstep runs list --json` prints
  std::function<Result<std::unique_ptr<FollowedRun>>(const std::string& directory)> open;
  // Whether a folder in it is a run, with records or not yet.
  std::function<bool(const std::string& directory)> is_run;
};

class RunFolder : public Answers {
 public:
  explicit RunFolder(RunFolderSources sources) : sources_(std::move(sources)) {}
  bool is_folder() const override { return true; }
  HttpResponse answer(const HttpRequest& request) override;

 private:
  struct Place {
    std::timed_mutex mutex;  // guards what follows; held while the run is opened
    std::shared_ptr<RunAnswers> run;
  };
  // Whether a run of this name lies in it. No name is ever made into a path before.
  bool has_run(const std::string& name) const;
  std::shared_ptr<Place> place_of(const std::string& name);
  // Opens it where nobody has. Otherwise null, and *refusal says why.
  std::shared_ptr<RunAnswers> run_of(const std::string& name, const HttpRequest& request,
                                     HttpResponse* refusal);
  HttpResponse answer_of_run(const HttpRequest& request);
  HttpResponse compare(const RunAnswers& run, const HttpRequest& request);

  const RunFolderSources sources_;
  std::mutex mutex_;  // guards places_ and asked_
  std::map<std::string, std::shared_ptr<Place>> places_;
  std::map<std::string, int64_t> asked_;  // by name, when last
};

// Whether runs lie in it.
bool has_runs(const std::string& parent, const std::function<bool(const std::string&)>& is_run);

}  // namespace lockstep::serve
