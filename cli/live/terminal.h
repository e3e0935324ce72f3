// A screen of text lines in the terminal, by ncurses, which is looked for when it is needed: the
// command is built and runs without it. The terminal is as it was when the object is gone, and also
// when a signal ends the program. One object at a time, one thread.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "lockstep/status.h"

namespace lockstep::cli {

enum class Key { None, Quit, Up, Down, PageUp, PageDown, Home, Other };

class Terminal {
 public:
  // The error: there is no terminal, or no ncurses, and what to do.
  static Result<std::unique_ptr<Terminal>> open();
  ~Terminal();
  Terminal(const Terminal&) = delete;
  Terminal& operator=(const Terminal&) = delete;

  // The first line is shown in reverse; what is too long or too much is left out.
  void show(const std::vector<std::string>& lines);
  int height() const;
  // Waits no longer; a new size of the terminal is Other: show again.
  Key wait_key(int wait_ms);

 private:
  struct Curses;
  explicit Terminal(std::unique_ptr<Curses> curses);

  std::unique_ptr<Curses> curses_;
};

}  // namespace lockstep::cli
