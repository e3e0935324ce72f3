#include "analysis/export/sqlite_file.h"

#include <fcntl.h>
#include <sqlite3.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

namespace lockstep::analysis {

struct SqliteFile::State {
  ~State() {
    sqlite3_close(database);
    if (!temporary.empty()) unlink(temporary.c_str());
  }
  void check(int code) {
    if (code != SQLITE_OK && code != SQLITE_DONE && error.empty())
      error = database != nullptr ? sqlite3_errmsg(database) : sqlite3_errstr(code);
  }

  std::string path, temporary;
  IfExists if_exists = IfExists::Refuse;
  sqlite3* database = nullptr;
  std::string error;  // the first
};

struct SqliteTable::State {
  SqliteFile::State* file = nullptr;
  sqlite3_stmt* insert = nullptr;
};

SqliteFile::SqliteFile(std::unique_ptr<State> state) : state_(std::move(state)) {}
SqliteFile::~SqliteFile() = default;

namespace {

Status sqlite_refusal(const std::string& path) {
  return Status::error(path + " exists; give another path, or --force to replace it");
}

Status cannot_write_sqlite(const std::string& path, const std::string& why) {
  return Status::error("cannot write " + path + ": " + why);
}

}  // namespace

Result<std::unique_ptr<SqliteFile>> SqliteFile::create(const std::string& path,
                                                       IfExists if_exists) {
  struct stat found;
  if (if_exists == IfExists::Refuse && lstat(path.c_str(), &found) == 0)
    return sqlite_refusal(path);
  auto state = std::make_unique<State>();
  state->path = path;
  state->if_exists = if_exists;
  const std::string temporary = path + ".part-" + std::to_string(getpid());
  unlink(temporary.c_str());  // of an earlier process with this pid
  const int file =
      open(temporary.c_str(), O_CREAT | O_EXCL | O_NOFOLLOW | O_WRONLY | O_CLOEXEC, 0644);
  if (file < 0) return cannot_write_sqlite(path, std::strerror(errno));
  close(file);
  state->temporary = temporary;
  state->check(
      sqlite3_open_v2(temporary.c_str(), &state->database, SQLITE_OPEN_READWRITE, nullptr));
  std::unique_ptr<SqliteFile> out(new SqliteFile(std::move(state)));
  out->execute("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; BEGIN");
  return out;
}

void SqliteFile::execute(const std::string& statements) {
  if (!state_->error.empty()) return;
  state_->check(sqlite3_exec(state_->database, statements.c_str(), nullptr, nullptr, nullptr));
}

Status SqliteFile::commit() {
  State& state = *state_;
  execute("COMMIT");
  if (state.error.empty()) state.check(sqlite3_close(state.database));
  if (!state.error.empty()) return cannot_write_sqlite(state.path, state.error);
  state.database = nullptr;
  int error = 0;
  if (state.if_exists == IfExists::Refuse) {
    error = rename_to_new(state.temporary, state.path);
  } else if (std::rename(state.temporary.c_str(), state.path.c_str()) != 0) {
    error = errno;
  }
  if (error == EEXIST) return sqlite_refusal(state.path);
  if (error != 0) return cannot_write_sqlite(state.path, std::strerror(error));
  state.temporary.clear();
  return {};
}

SqliteTable::SqliteTable(SqliteFile* file, const std::string& name, const std::string& columns,
                         size_t count)
    : state_(std::make_unique<State>()) {
  state_->file = file->state_.get();
  file->execute("CREATE TABLE \"" + name + "\" (" + columns + ")");
  if (!state_->file->error.empty()) return;
  std::string marks = "?";
  for (size_t i = 1; i < count; ++i) marks += ", ?";
  const std::string insert = "INSERT INTO \"" + name + "\" VALUES (" + marks + ")";
  state_->file->check(
      sqlite3_prepare_v2(state_->file->database, insert.c_str(), -1, &state_->insert, nullptr));
}

SqliteTable::~SqliteTable() { sqlite3_finalize(state_->insert); }

void SqliteTable::bind(size_t column, ColumnType type, const Value& value) {
  if (!state_->file->error.empty()) return;
  const int at = static_cast<int>(column) + 1;
  if (!value.known) {
    state_->file->check(sqlite3_bind_null(state_->insert, at));
  } else if (type == ColumnType::Varchar) {
    state_->file->check(sqlite3_bind_text(state_->insert, at, value.text.data(),
                                          static_cast<int>(value.text.size()), SQLITE_STATIC));
  } else if (type == ColumnType::Double) {
    state_->file->check(sqlite3_bind_double(state_->insert, at, value.real));
  } else {
    state_->file->check(sqlite3_bind_int64(state_->insert, at, value.number));
  }
}

void SqliteTable::step() {
  ++rows_;
  if (!state_->file->error.empty()) return;
  state_->file->check(sqlite3_step(state_->insert));
  sqlite3_reset(state_->insert);
}

}  // namespace lockstep::analysis
