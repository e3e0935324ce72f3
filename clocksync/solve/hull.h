// Thins the packets of one direction and one bin to those that can matter. Called by the prober's
// thread when a bin is complete; pure, no state.
//
// A packet sent at tx (sender's clock) with delta = receive stamp - tx proves offset(tx) <= delta +
// uncertainty. Among all lines through such upper points only the lower convex hull can touch; a
// point above it never binds. The solver adds D*(x-t)^2/2 to each point later, which can push a
// dropped point below its chord by at most D*w^2/8 for a bin of width w: 0.13 ns at 0.1 s and D =
// 100 ns/s^2. Dropping a constraint only widens the interval, so the guarantee never depends on
// this step. Source: Zhang, Liu, Xia, "Clock synchronization algorithms for network measurements"
// (2002).
#pragma once

#include <vector>

#include "lockstep/clock_record.h"

namespace lockstep::clocksync {

// Slopes beyond this are no clock (a host may be wrong by 200 ppm); hull edges steeper than it at
// both ends of the bin cannot be touched by a real offset and their outer points are dropped.
inline constexpr double kHullMaxSlopePpm = 1000;

// The hull's points in order of sending. Duplicates and reordering in the input are harmless.
std::vector<HullPoint> reduce_to_hull(std::vector<HullPoint> points);
// The same in place: moves them to the front of [begin, end) and returns where they end.
HullPoint* reduce_to_hull(HullPoint* begin, HullPoint* end);

}  // namespace lockstep::clocksync
