#include "analysis/export/sqlite_file.h"

#include <sqlite3.h>

namespace lockstep::analysis {

struct SqliteFile::State {
  ~State() { sqlite3_close(database); }
  void check(int code) {
    if (code != SQLITE_OK && code != SQLITE_DONE && error.empty())
      error = database != nullptr ? sqlite3_errmsg(database) : sqlite3_errstr(code);
  }

  std::string path;
  std::unique_ptr<OutputFile> file;
  sqlite3* database = nullptr;
  std::string error;  // the first
};

struct SqliteTable::State {
  SqliteFile::State* file = nullptr;
  sqlite3_stmt* insert = nullptr;
};

SqliteFile::SqliteFile(std::unique_ptr<State> state) : state_(std::move(state)) {}
SqliteFile::~SqliteFile() = default;

Result<std::unique_ptr<SqliteFile>> SqliteFile::create(const std::string& path,
                                                       IfExists if_exists) {
  auto file = OutputFile::create(path, if_exists);
  if (!file.ok()) return file.status();
  auto state = std::make_unique<State>();
  state->path = path;
  state->file = std::move(file.value());
  state->check(sqlite3_open_v2(state->file->temporary().c_str(), &state->database,
                               SQLITE_OPEN_READWRITE, nullptr));
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
  if (!state.error.empty()) return Status::error("cannot write " + state.path + ": " + state.error);
  state.database = nullptr;
  return state.file->commit();
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
