// Views for questions that come again and again: `ops`, operations with what other tables say of them;
// `steps`, one row for each training step; `latest_step()`; `capabilities`, what is known of each
// communicator; `kernel_phases`, where symmetric kernels wait. Used by QuerySession; constants and a pure
// function.
#pragma once

#include <set>
#include <string>

namespace lockstep::analysis {

// Statements that make them, each with its semicolon; all tables must be there.
extern const char* const kJobViews;

// Adds the tables that are behind the views among these words of a statement.
void add_tables_of_views(std::set<std::string>* words);

}  // namespace lockstep::analysis
