// Which edges of trees are slow, by when each has brought all its data, and what that costs each operation.
//
// A rank of a tree hands on what it has of all edges that feed it: up, the sum of what is below it; down, the
// whole. So the last part of the data crosses an edge from when the last of the edges that feed it has brought its
// own: that takes longer where the edge is slow, and parts that wait for it make it longer still. What is fed by
// no edge, because the tree begins there, tells nothing of that kind. But what is sent last leads from the root to
// it, where the whole takes longer than other channels do, or than at other times.
#pragma once

#include <vector>

#include "analysis/follow/own_segments.h"
#include "analysis/paths/transfer_excess.h"
#include "analysis/transfers/transfer_samples.h"

namespace lockstep::analysis {

// step_of: by row of `matches`, its training step.
std::vector<TransferExcess> excesses_of_trees(const RunTables& run, const OwnSegments& own,
                                              const std::vector<TreeSeries>& trees,
                                              const std::vector<uint32_t>& step_of);

}  // namespace lockstep::analysis
