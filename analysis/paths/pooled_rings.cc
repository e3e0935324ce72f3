#include "analysis/paths/pooled_rings.h"

#include <algorithm>
#include <map>
#include <numeric>

#include "analysis/transfers/middle.h"

namespace lockstep::analysis {
namespace {

// Of what the longest take, what the shortest in a pool do.
constexpr int64_t kTimesShorter = 4;

struct OfRing {
  const RingSeries* series = nullptr;
  int64_t usual_ns = 0;
};

bool is_same_ring(const RingSeries& a, const RingSeries& b) {
  return a.actors == b.actors && a.in_order == b.in_order &&
         std::equal(a.edges.begin(), a.edges.end(), b.edges.begin(), b.edges.end(),
                    [](const EdgeSamples& one, const EdgeSamples& other) {
                      return one.from == other.from && one.to == other.to;
                    });
}

int64_t scaled(int64_t ns, double scale) {
  return ns == kNoTime ? kNoTime : static_cast<int64_t>(static_cast<double>(ns) / scale);
}

void append(const std::vector<int64_t>& from, double scale, std::vector<int64_t>* to) {
  for (const int64_t ns : from) to->push_back(scaled(ns, scale));
}

constexpr std::vector<int64_t> EdgeSamples::*kTimesOfEdge[] = {
    &EdgeSamples::later, &EdgeSamples::lag,  &EdgeSamples::uptake,
    &EdgeSamples::wire,  &EdgeSamples::work, &EdgeSamples::gpu};

void append(const OfRing& one, double scale, PooledRing* pool) {
  const RingSeries& from = *one.series;
  RingSeries& to = pool->series;
  to.matches.insert(to.matches.end(), from.matches.begin(), from.matches.end());
  append(from.times, scale, &to.times);
  append(from.apart, scale, &to.apart);
  to.last.insert(to.last.end(), from.last.begin(), from.last.end());
  for (size_t i = 0; i < from.edges.size(); ++i) {
    for (const auto times : kTimesOfEdge) {
      append(from.edges[i].*times, scale, &(to.edges[i].*times));
      (to.edges[i].*times).resize(to.matches.size(), kNoTime);  // some are never known
    }
  }
  pool->scale.resize(to.matches.size(), scale);
}
PooledRing pool_of(const RingSeries& series) {
  PooledRing pool;
  pool.series = series;
  pool.scale.assign(series.matches.size(), 1);
  for (EdgeSamples& edge : pool.series.edges) {
    for (const auto times : kTimesOfEdge) (edge.*times).resize(series.matches.size(), kNoTime);
  }
  return pool;
}

template <typename T>
void reorder(const std::vector<size_t>& order, std::vector<T>* values) {
  std::vector<T> sorted;
  for (const size_t i : order) sorted.push_back((*values)[i]);
  *values = std::move(sorted);
}

void sort_by_time(const RunTables& run, PooledRing* pool) {
  RingSeries& series = pool->series;
  std::vector<size_t> order(series.matches.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    return run.matches[series.matches[a]].start_ns < run.matches[series.matches[b]].start_ns;
  });
  reorder(order, &series.matches);
  reorder(order, &series.times);
  reorder(order, &series.apart);
  reorder(order, &series.last);
  reorder(order, &pool->scale);
  for (EdgeSamples& edge : series.edges) {
    for (const auto times : kTimesOfEdge) reorder(order, &(edge.*times));
  }
}

}  // namespace

std::vector<PooledRing> pool_rings(const RunTables& run,
                                   const std::vector<const RingSeries*>& rings) {
  std::map<std::tuple<uint32_t, uint8_t, Text>, std::vector<OfRing>> by_ring;
  for (const RingSeries* one : rings)
    by_ring[{one->communicator, one->channel, std::get<0>(one->alike)}].push_back(
        {one, std::max<int64_t>(1, reference_of(one->times))});
  std::vector<PooledRing> pools;
  for (auto& [key, all] : by_ring) {
    std::stable_sort(all.begin(), all.end(),
                     [](const OfRing& a, const OfRing& b) { return a.usual_ns > b.usual_ns; });
    const OfRing* largest = nullptr;
    for (const OfRing& one : all) {
      if (largest == nullptr || !is_same_ring(*largest->series, *one.series) ||
          one.usual_ns * kTimesShorter < largest->usual_ns) {
        largest = &one;
        pools.push_back(pool_of(*one.series));
      } else {
        append(one, static_cast<double>(one.usual_ns) / static_cast<double>(largest->usual_ns),
               &pools.back());
      }
    }
  }
  for (PooledRing& pool : pools) sort_by_time(run, &pool);
  return pools;
}

}  // namespace lockstep::analysis
