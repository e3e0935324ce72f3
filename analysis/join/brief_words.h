// What of records the join reads where it gives brief operations: the words that tell when an operation was called, ready
// and over, and which others it belongs to. What else there is, as addresses and sizes, is most of the words. Plain data.
#pragma once

#include "dumper/segment/column_reader.h"
#include "lockstep/event.h"

namespace lockstep::analysis {

constexpr dumper::WordMask word_mask(std::initializer_list<unsigned> words) {
  unsigned mask = 0;
  for (const unsigned word : words) mask |= 1u << word;
  return static_cast<dumper::WordMask>(mask);
}

constexpr dumper::WantedWords make_brief_words() {
  dumper::WantedWords wanted{};
  const auto start = [&wanted](Kind kind) -> dumper::WordMask& { return wanted[start_tag(kind)]; };
  start(Kind::GroupApi) = word_mask({1});
  start(Kind::CollApi) = start(Kind::P2pApi) = word_mask({1, 2, 3, 5, 6});
  start(Kind::Coll) = word_mask({1, 2, 3, 5, 9, 10});
  start(Kind::P2p) = word_mask({1, 2, 3, 7});
  start(Kind::CeColl) = word_mask({1, 2, 3, 8, 9, 11});
  start(Kind::KernelLaunch) = word_mask({1, 2});
  start(Kind::KernelCh) = word_mask({1, 2, 3, 4});
  start(Kind::ProxyOp) = start(Kind::ProxyStep) = word_mask({1, 2, 3});
  for (const Kind kind : {Kind::GroupApi, Kind::CollApi, Kind::P2pApi, Kind::KernelLaunch,
                          Kind::KernelCh, Kind::ProxyOp, Kind::ProxyStep})
    wanted[stop_tag(kind)] = word_mask({1});
  for (unsigned state = 0; state < kStates; ++state) wanted[state_tag(state)] = word_mask({1});
  wanted[state_tag(kKernelChStop)] = word_mask({1, 2});
  for (const Tag tag : {kCommInitTag, kCommFinalizeTag, kCommInfoTag})
    wanted[tag] = static_cast<dumper::WordMask>(~0u);
  return wanted;
}
inline constexpr dumper::WantedWords kBriefWords = make_brief_words();

}  // namespace lockstep::analysis
