#include "analysis/sql/sql_split.h"

#include <cctype>

namespace lockstep::analysis {
namespace {

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

// Where the dollar quote that begins at `at` ends its opening tag: "$$" or "$tag$"; `at` if none.
size_t dollar_tag_end(std::string_view text, size_t at) {
  size_t end = at + 1;
  while (end < text.size() && is_word(text[end])) ++end;
  return end < text.size() && text[end] == '$' ? end + 1 : at;
}

size_t after(std::string_view text, std::string_view closing, size_t from) {
  const size_t found = text.find(closing, from);
  return found == std::string_view::npos ? std::string_view::npos : found + closing.size();
}

enum class Piece { Semicolon, Space, Comment, String, Name, Word, Other };
struct Token {
  Piece piece;
  size_t end;  // npos: it does not end in this text
};

Token token_at(std::string_view text, size_t at) {
  const char c = text[at];
  if (c == ';') return {Piece::Semicolon, at + 1};
  if (std::isspace(static_cast<unsigned char>(c)) != 0) return {Piece::Space, at + 1};
  if (text.substr(at, 2) == "--") {
    const size_t line = text.find('\n', at);
    return {Piece::Comment, line == std::string_view::npos ? text.size() : line + 1};
  }
  if (text.substr(at, 2) == "/*") return {Piece::Comment, after(text, "*/", at + 2)};
  if (c == '\'') return {Piece::String, after(text, "'", at + 1)};  // '' = two strings in a row
  if (c == '"') return {Piece::Name, after(text, "\"", at + 1)};
  if (c == '$') {
    const size_t end = dollar_tag_end(text, at);
    if (end != at) return {Piece::String, after(text, text.substr(at, end - at), end)};
  }
  size_t end = at;
  while (end < text.size() && is_word(text[end])) ++end;
  return end == at ? Token{Piece::Other, at + 1} : Token{Piece::Word, end};
}

}  // namespace

bool take_statement(std::string* text, std::string* statement) {
  for (size_t at = 0; at < text->size();) {
    const Token token = token_at(*text, at);
    if (token.end == std::string::npos) return false;
    if (token.piece == Piece::Semicolon) {
      *statement = text->substr(0, token.end);
      text->erase(0, token.end);
      return true;
    }
    at = token.end;
  }
  return false;
}

bool is_blank_statement(std::string_view text) {
  for (size_t at = 0; at < text.size();) {
    const Token token = token_at(text, at);
    const bool nothing = token.piece == Piece::Semicolon || token.piece == Piece::Space ||
                         token.piece == Piece::Comment;
    if (!nothing) return false;
    if (token.end == std::string_view::npos) return true;
    at = token.end;
  }
  return true;
}

std::set<std::string> words_of_statement(std::string_view text) {
  std::set<std::string> words;
  for (size_t at = 0; at < text.size();) {
    const Token token = token_at(text, at);
    const size_t end = token.end == std::string_view::npos ? text.size() : token.end;
    if (token.piece == Piece::Word || token.piece == Piece::Name) {
      std::string word;
      for (const char c : text.substr(at, end - at)) {
        if (c != '"') word += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
      }
      words.insert(word);
    }
    at = end;
  }
  return words;
}

}  // namespace lockstep::analysis
