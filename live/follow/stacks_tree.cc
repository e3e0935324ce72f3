#include "live/follow/stacks_tree.h"

#include <unistd.h>

#include "analysis/report/kept_findings.h"
#include "base/clock_ns.h"
#include "base/json.h"
#include "live/asker/answers_json.h"
#include "live/http/gate.h"
#include "live/http/parameters.h"
#include "live/places/stack_tree.h"

namespace lockstep::serve {
namespace {

constexpr int64_t kSoonNs = 2'000'000'000, kPatienceNs = 10'000'000'000;

constexpr size_t kMostKeptBytes = size_t{64} << 20;

bool read_kept(const std::string& directory, HttpResponse* response) {
  std::string text = analysis::kept_answer(directory, analysis::kKeptStacks, kMostKeptBytes);
  if (text.empty()) return false;
  *response = HttpResponse();
  response->body = std::move(text);
  return true;
}

using Rows = std::vector<live::StackRow>;

void put_place(const live::StackClass& place, const Rows& rows, JsonFields* out) {
  const live::Frame* frame = live::telling_frame(place.frames);
  if (frame == nullptr && !place.frames.empty()) frame = &place.frames.back();
  out->object([&] {
    out->string("who", in_words(place.members, rows));
    out->number("threads", place.threads);
    out->string("where", frame == nullptr ? place.state : in_words(*frame));
    out->boolean("moved", place.moved);
    out->string("unread", place.unread);
    out->list("operations", place.operations, [&](const live::StackClass::Operation& one) {
      out->object([&] {
        out->string("words", one.words);
        out->string("who", in_words(one.members, rows));
        out->number("called_ago_ns", one.called_ago_ns);
      });
    });
  });
}

void put_tree(const live::StackTree& tree, const Rows& rows, JsonFields* out) {
  const auto number = [&](uint32_t node) { out->writer().Uint(node); };
  out->object([&] {
    out->string("kind", tree.kind);
    out->list("places", tree.classes,
              [&](const live::StackClass& place) { put_place(place, rows, out); });
    out->list("roots", tree.roots, number);
    out->list("nodes", tree.nodes, [&](const live::StackNode& node) {
      out->object([&] {
        out->string("frame", in_words(node));
        out->string("who", in_words(node.members, rows));
        out->number("members", node.members.size());
        out->list("children", node.children, number);
      });
    });
  });
}

}  // namespace

HttpResponse StacksTree::answer(const std::string& directory, const HttpRequest& request) {
  const Parameters parameters(request, {});
  if (!parameters.error().empty()) return error_response(400, parameters.error());
  const std::lock_guard<std::mutex> lock(mutex_);
  if (last_ns_ == 0 || mono_now_ns() - last_ns_ > kSoonNs) {
    last_ = ask(directory);
    if (last_.status == 200) {
      analysis::keep_answer(directory, analysis::kKeptStacks, last_.body);
    } else {
      read_kept(directory, &last_);
    }
    last_ns_ = mono_now_ns();
  }
  return last_;
}

HttpResponse StacksTree::ask(const std::string& directory) {
  const auto targets = live::find_targets({directory, "", ""});
  if (!targets.ok()) return error_response(503, targets.message());
  live::AskTerms terms;
  terms.deadline_ns = mono_now_ns() + kPatienceNs;
  const live::Answers answers =
      live::ask_all(targets.value(), {"stacks", "{}", live::this_asker()}, terms, nullptr);
  const auto rows = live::rows_of_json(all_rows(answers));
  if (!rows.ok()) return error_response(503, rows.message());
  if (rows.value().empty())
    return error_response(
        503, "no process of the job answers: " +
                 (answers.failed.empty() ? "there is none" : answers.failed.front().reason));
  HttpResponse response;
  response.body = stacks_tree_json(answers, rows.value());
  return response;
}

std::string stacks_tree_json(const live::Answers& answers, const Rows& rows) {
  JsonFields out;
  out.object([&] {
    put_answers(answers, &out);
    out.number("taken_unix_ns", real_now_ns());
    out.list("trees", live::merge(rows),
             [&](const live::StackTree& tree) { put_tree(tree, rows, &out); });
  });
  return std::string(out.text()) + "\n";
}

bool has_kept_stacks(const std::string& directory) {
  return access(analysis::kept_path(directory, analysis::kKeptStacks).c_str(), R_OK) == 0;
}

}  // namespace lockstep::serve
