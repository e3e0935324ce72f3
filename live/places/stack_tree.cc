#include "live/places/stack_tree.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "base/text.h"

namespace lockstep::live {
namespace {

using Path = std::vector<FunctionNumber>;

class Builder {
 public:
  explicit Builder(std::string kind) { tree_.kind = std::move(kind); }

  void add(uint32_t index, const StackRow& row, const ThreadStacks& thread) {
    Path common;
    for (size_t i = 0; i < thread.samples.size(); ++i) {
      const Path path = insert(index, thread.samples[i]);
      common = i == 0 ? path : shared(common, path);
    }
    classify(index, row, thread, common);
  }

  StackTree finish() {
    tree_.classes = std::move(found_);
    std::stable_sort(tree_.classes.begin(), tree_.classes.end(),
                     [](const StackClass& a, const StackClass& b) {
                       return std::tuple(a.members.size(), a.members.front()) <
                              std::tuple(b.members.size(), b.members.front());
                     });
    const auto larger = [this](uint32_t a, uint32_t b) {
      return tree_.nodes[a].members.size() > tree_.nodes[b].members.size();
    };
    std::stable_sort(tree_.roots.begin(), tree_.roots.end(), larger);
    for (StackNode& node : tree_.nodes)
      std::stable_sort(node.children.begin(), node.children.end(), larger);
    return std::move(tree_);
  }

 private:
  static Path shared(const Path& a, const Path& b) {
    const auto end = std::mismatch(a.begin(), a.end(), b.begin(), b.end()).first;
    return Path(a.begin(), end);
  }

  Path insert(uint32_t row, const std::vector<Frame>& frames) {
    Path path;
    uint32_t at = kTop;
    for (const Frame& frame : frames) {
      path.push_back(functions_.number_of(frame));
      at = child_of(at, path.back(), frame);
      StackNode& node = tree_.nodes[at];
      add_member(&node.members, row);
      node.last_line = std::max(node.last_line, frame.line);
      node.frame.line = std::min(node.frame.line, frame.line);
    }
    return path;
  }

  uint32_t child_of(uint32_t parent, FunctionNumber function, const Frame& frame) {
    const auto next = static_cast<uint32_t>(tree_.nodes.size());
    const auto [found, is_new] = places_.try_emplace({parent, function}, next);
    if (is_new) {
      tree_.nodes.push_back({frame, frame.line, {}, {}});
      (parent == kTop ? tree_.roots : tree_.nodes[parent].children).push_back(next);
    }
    return found->second;
  }

  void classify(uint32_t index, const StackRow& row, const ThreadStacks& thread,
                const Path& common) {
    // Without frames, the kernel's word for what the thread does is all there is to tell them apart.
    const std::string state = in_words(thread.state);
    const bool moved = thread.moved();
    const auto [found, is_new] = classes_.try_emplace(
        {common, moved, common.empty() ? thread.unread + "\n" + state : ""}, found_.size());
    if (is_new) {
      StackClass first;
      first.moved = moved;
      first.unread = thread.unread;
      first.state = state;
      first.example_row = index;
      first.example_tid = thread.state.tid;
      if (!thread.samples.empty()) {
        first.frames = thread.samples.back();
        first.frames.resize(common.size());
      }
      found_.push_back(std::move(first));
    }
    StackClass& its = found_[found->second];
    add_member(&its.members, index);
    ++its.threads;
    if (!row.standing.operation.empty()) note_operation(index, row.standing, &its.operations);
  }

  static void note_operation(uint32_t index, const Standing& standing,
                             std::vector<StackClass::Operation>* operations) {
    auto found = std::find_if(operations->begin(), operations->end(),
                              [&](const auto& one) { return one.words == standing.operation; });
    if (found == operations->end())
      found = operations->insert(operations->end(), {standing.operation, {}, 0});
    add_member(&found->members, index);
    found->called_ago_ns = std::max(found->called_ago_ns, standing.called_ago_ns);
  }

  static constexpr uint32_t kTop = ~uint32_t{0};
  FunctionTable functions_;
  StackTree tree_;
  std::map<std::pair<uint32_t, FunctionNumber>, uint32_t> places_;  // (parent, function) -> node
  std::map<std::tuple<Path, bool, std::string>, size_t> classes_;   // -> found_
  std::vector<StackClass> found_;
};

bool is_plumbing(const Frame& frame) {
  for (const char* library : {"libc.so", "libc-2.", "libpthread", "ld-linux", "ld-2.", "linux-vdso",
                              "[vdso]", "libstdc++.so", "libm.so", "libgcc_s"}) {
    if (starts_with(frame.module, library)) return true;
  }
  return frame.function.empty() || starts_with(frame.function, "std::");
}

}  // namespace

std::string in_words(const StackNode& node) {
  Frame frame = node.frame;
  if (node.last_line == frame.line) return in_words(frame);
  std::string words = in_words(frame);
  const size_t end = words.rfind(')');
  return words.insert(end, "-" + std::to_string(node.last_line));
}

std::string kind_of(const StackRow& row, const ThreadStacks& thread) {
  if (thread.state.tid == row.stacks.pid) return "main";
  std::string name = thread.state.name;
  while (!name.empty() && (name.back() == ' ' || (name.back() >= '0' && name.back() <= '9')))
    name.pop_back();
  return name.empty() ? thread.state.name : name;
}

std::vector<StackTree> merge(const std::vector<StackRow>& rows) {
  std::map<std::string, size_t> by_kind;
  std::vector<Builder> builders;
  for (const bool main : {true, false}) {
    for (uint32_t i = 0; i < rows.size(); ++i) {
      for (const ThreadStacks& thread : rows[i].stacks.threads) {
        const std::string kind = kind_of(rows[i], thread);
        if ((kind == "main") != main) continue;
        const auto [found, is_new] = by_kind.try_emplace(kind, builders.size());
        if (is_new) builders.emplace_back(kind);
        builders[found->second].add(i, rows[i], thread);
      }
    }
  }
  std::vector<StackTree> trees;
  for (Builder& builder : builders) trees.push_back(builder.finish());
  return trees;
}

const Frame* telling_frame(const std::vector<Frame>& frames) {
  auto found = std::find_if(frames.rbegin(), frames.rend(),
                            [](const Frame& frame) { return frame.module == kPythonModule; });
  if (found == frames.rend()) found = std::find_if_not(frames.rbegin(), frames.rend(), is_plumbing);
  return found == frames.rend() ? nullptr : &*found;
}

}  // namespace lockstep::live
