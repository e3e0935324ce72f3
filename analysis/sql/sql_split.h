// Cuts text into SQL statements at their semicolons, as a shell must: semicolons in strings, quoted
// names, dollar quotes and comments do not count. Also finds the words of a statement, to know
// which tables it may need.
#pragma once

#include <set>
#include <string>
#include <string_view>

namespace lockstep::analysis {

// Takes the first whole statement, with its semicolon, off the front of `text`. False when there is
// none yet.
bool take_statement(std::string* text, std::string* statement);

// Whether there is nothing in it but spaces, comments and semicolons.
bool is_blank_statement(std::string_view text);

// Every word, in lower case, of the statement, quoted names included, strings and comments left
// out.
std::set<std::string> words_of_statement(std::string_view text);

}  // namespace lockstep::analysis
