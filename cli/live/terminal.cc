#include "cli/live/terminal.h"

#include <dlfcn.h>
#include <unistd.h>

#include <clocale>
#include <cstdio>
#include <cstdlib>

namespace lockstep::cli {
namespace {

// ncurses' ABI 6, as curses.h of 6.0 and later has it.
constexpr int kError = -1, kKeyDown = 0402, kKeyUp = 0403, kKeyHome = 0406, kKeyPageDown = 0522,
              kKeyPageUp = 0523;
constexpr unsigned kReverse = 1u << 18;

struct Screen;
struct Window;

// As many bytes of UTF-8 as fit into so many columns, each character counted as one.
int fitting_bytes(const std::string& line, int columns) {
  size_t bytes = 0;
  for (int used = 0; bytes < line.size() && used < columns; ++used) {
    ++bytes;
    while (bytes < line.size() && (static_cast<unsigned char>(line[bytes]) & 0xc0) == 0x80) ++bytes;
  }
  return static_cast<int>(bytes);
}

}  // namespace

struct Terminal::Curses {
  void* library = nullptr;
  Screen* screen = nullptr;
  Window* window = nullptr;  // all of it

  Screen* (*newterm)(const char*, FILE*, FILE*) = nullptr;
  int (*endwin)() = nullptr;
  void (*delscreen)(Screen*) = nullptr;
  int (*cbreak)() = nullptr;
  int (*noecho)() = nullptr;
  int (*curs_set)(int) = nullptr;
  int (*keypad)(Window*, bool) = nullptr;
  void (*wtimeout)(Window*, int) = nullptr;
  int (*wgetch)(Window*) = nullptr;
  int (*werase)(Window*) = nullptr;
  int (*wmove)(Window*, int, int) = nullptr;
  int (*waddnstr)(Window*, const char*, int) = nullptr;
  int (*wattrset)(Window*, int) = nullptr;
  int (*wrefresh)(Window*) = nullptr;
  int (*getmaxy)(const Window*) = nullptr;
  int (*getmaxx)(const Window*) = nullptr;

  template <typename F>
  bool find(const char* name, F** function) {
    *function = reinterpret_cast<F*>(dlsym(library, name));
    return *function != nullptr;
  }
  bool load() {
    for (const char* name : {"libncursesw.so.6", "libncurses.so.6"}) {
      library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
      if (library != nullptr) break;
    }
    return library != nullptr && find("newterm", &newterm) && find("endwin", &endwin) &&
           find("delscreen", &delscreen) && find("cbreak", &cbreak) && find("noecho", &noecho) &&
           find("curs_set", &curs_set) && find("keypad", &keypad) && find("wtimeout", &wtimeout) &&
           find("wgetch", &wgetch) && find("werase", &werase) && find("wmove", &wmove) &&
           find("waddnstr", &waddnstr) && find("wattrset", &wattrset) &&
           find("wrefresh", &wrefresh) && find("getmaxy", &getmaxy) && find("getmaxx", &getmaxx);
  }
};

Terminal::Terminal(std::unique_ptr<Curses> curses) : curses_(std::move(curses)) {}

Result<std::unique_ptr<Terminal>> Terminal::open() {
  if (isatty(STDIN_FILENO) == 0 || isatty(STDOUT_FILENO) == 0)
    return Status::error("a terminal is needed here; `lockstep progress` prints the same once");
  auto curses = std::make_unique<Curses>();
  if (!curses->load())
    return Status::error(
        "there is no ncurses library (libncursesw.so.6, package libncursesw6); `watch -n 1 "
        "lockstep "
        "progress RUN` shows much the same");
  std::setlocale(LC_CTYPE, "");
  const char* const kind = std::getenv("TERM");
  // Unlike initscr(), it does not end the program where the terminal is not known.
  curses->screen = curses->newterm(nullptr, stdout, stdin);
  if (curses->screen == nullptr)
    return Status::error(std::string("ncurses does not know this terminal, TERM=") +
                         (kind != nullptr ? kind : "") + "; try TERM=xterm");
  curses->window = *static_cast<Window**>(dlsym(curses->library, "stdscr"));
  curses->cbreak();
  curses->noecho();
  curses->curs_set(0);
  curses->keypad(curses->window, true);
  return std::unique_ptr<Terminal>(new Terminal(std::move(curses)));
}

Terminal::~Terminal() {
  curses_->endwin();
  curses_->delscreen(curses_->screen);
}

int Terminal::height() const { return curses_->getmaxy(curses_->window); }

void Terminal::show(const std::vector<std::string>& lines) {
  Curses& c = *curses_;
  const int columns = c.getmaxx(c.window), rows = c.getmaxy(c.window);
  c.werase(c.window);
  for (int row = 0; row < rows && static_cast<size_t>(row) < lines.size(); ++row) {
    const std::string& line = lines[static_cast<size_t>(row)];
    c.wattrset(c.window, row == 0 ? static_cast<int>(kReverse) : 0);
    c.wmove(c.window, row, 0);
    c.waddnstr(c.window, line.c_str(), fitting_bytes(line, columns));
  }
  c.wattrset(c.window, 0);
  c.wrefresh(c.window);
}

Key Terminal::wait_key(int wait_ms) {
  curses_->wtimeout(curses_->window, wait_ms);
  switch (curses_->wgetch(curses_->window)) {
    case kError:
      return Key::None;
    case 'q':
    case 'Q':
      return Key::Quit;
    case kKeyUp:
    case 'k':
      return Key::Up;
    case kKeyDown:
    case 'j':
      return Key::Down;
    case kKeyPageUp:
      return Key::PageUp;
    case kKeyPageDown:
    case ' ':
      return Key::PageDown;
    case kKeyHome:
    case 'g':
      return Key::Home;
    default:
      return Key::Other;
  }
}

}  // namespace lockstep::cli
