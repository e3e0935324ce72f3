// The middle of what was measured many times, how far from the truth that may be, and whether it stands
// out. Plain data and pure functions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace lockstep::analysis {

inline int64_t part_of(int64_t ns, double part) {
  return static_cast<int64_t>(part * static_cast<double>(ns));
}

// Of fewer values nothing is known.
constexpr size_t kFewestOfMiddle = 8;

struct Middle {
  int64_t ns = 0, error_ns = 0;
  // The middle lies between these whatever the values' distribution, be it one of two heaps, and although
  // neighbours may repeat each other.
  int64_t at_least_ns = 0, at_most_ns = 0;
  size_t count = 0;
  bool known() const;  // measured often enough
};

// kNoTime among the values is left out. `chosen`: indices of `values`.
Middle middle_of(const std::vector<int64_t>& values);
Middle middle_of(const std::vector<int64_t>& values, const std::vector<uint32_t>& chosen);

// Of groups of the chosen values whose middles are known: the middle that is least. Not known of fewer than two. group: by
// value.
struct LeastOfGroups {
  Middle middle;
  size_t groups = 0;
};
LeastOfGroups least_of_groups(const std::vector<int64_t>& values,
                              const std::vector<uint32_t>& chosen,
                              const std::vector<uint32_t>& group);

// Longer than usual by at least so much, and by several times its own inexactness.
bool stands_out(const Middle& middle, int64_t usual_ns, int64_t least_ns);

// As far above what is usual as chance makes neither of them. What is usual may be longer by `unsure_ns`.
bool is_steady(const Middle& middle, int64_t usual_ns, int64_t unsure_ns);
// Of these: by how much what is usual may be longer. It is the middle of one of a few, and no better known than
// that: where times scatter, chance makes one middle low and another high.
int64_t unsureness_of(const std::vector<Middle>& all, int64_t usual_ns);

// Of some operations: what they take, and which of them tell when ranks are done.
struct SeenOperations {
  Middle time;
  // Those whose ranks start within 5 % of this time of each other: who starts late leaves traces in when others
  // are done. All, where these are too few to tell.
  std::vector<uint32_t> telling;
  bool together = false;  // there are enough of those
};
// times, apart: by operation, what it takes and how long from the first start to the last. chosen: indices of them.
SeenOperations look_at_operations(const std::vector<int64_t>& times,
                                  const std::vector<int64_t>& apart, std::vector<uint32_t> chosen);
SeenOperations look_at_operations(const std::vector<int64_t>& times,
                                  const std::vector<int64_t>& apart);  // all

// A low quantile, as for lateness: of edges, or of communicators.
int64_t reference_of(std::vector<int64_t> values);
// The same where a slow way of one host makes most of them long: near the shortest.
int64_t reference_of_few(std::vector<int64_t> values);

}  // namespace lockstep::analysis
