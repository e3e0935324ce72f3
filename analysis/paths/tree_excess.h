// Which edges of trees are slow, by when each has brought all its data, and what that costs each operation.
//
// A rank of a tree hands on what it has of all edges that feed it: up, the sum of what is below it; down, the
// whole. So the last part of the data crosses an edge from when the last of the edges that feed it has brought its
// own: that takes longer where the edge is slow, and parts that wait for it make it longer still. What is fed by
// no edge, because the tree begins there, tells nothing of that kind; its other direction does.
#pragma once

#include <vector>

#include "analysis/paths/transfer_excess.h"
#include "analysis/paths/transfer_samples.h"
#include "analysis/whatif/own_segments.h"

namespace lockstep::analysis {

std::vector<TransferExcess> excesses_of_trees(const RunTables& run, const OwnSegments& own,
                                              const std::vector<TreeSeries>& trees);

}  // namespace lockstep::analysis
