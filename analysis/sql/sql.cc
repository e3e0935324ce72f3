#include "analysis/sql/sql.h"

#include <chrono>
#include <condition_variable>
#include <cstring>
#include <mutex>
#include <thread>

#include "analysis/sql/duckdb_api.h"

namespace lockstep::analysis {
namespace {

SqlKind kind_of_type(int type) {
  if (type == kDuckBoolean) return SqlKind::Boolean;
  const bool number = (type >= kDuckTinyInt && type <= kDuckDouble) || type == kDuckHugeInt ||
                      type == kDuckDecimal || type == kDuckUHugeInt;
  return number ? SqlKind::Number : SqlKind::String;
}

bool is_known(const uint64_t* validity, uint64_t row) {
  return validity == nullptr || (validity[row / 64] >> (row % 64) & 1) != 0;
}

// duckdb_string_t: the length, then 12 bytes of text, or 4 bytes and a pointer to all of it.
std::string_view string_at(const void* data, uint64_t row) {
  const char* at = static_cast<const char*>(data) + row * 16;
  uint32_t length = 0;
  std::memcpy(&length, at, sizeof(length));
  if (length <= 12) return {at + 4, length};
  const char* text = nullptr;
  std::memcpy(&text, at + 8, sizeof(text));
  return {text, length};
}

// Without the semicolon that ends it, so that it can stand in parentheses.
std::string without_semicolon(std::string statement) {
  const size_t last = statement.find_last_not_of(" \t\r\n;");
  statement.resize(last == std::string::npos ? 0 : last + 1);
  return statement;
}

constexpr const char* kMostMemory = "1GiB";

Status load_error(const std::string& message) { return Status::error("DuckDB: " + message); }

// Stops what a connection does when it has taken too long.
class Interrupter {
 public:
  Interrupter(const DuckDbApi* duck, DuckConnection connection, int64_t patience_ms)
      : thread_([this, duck, connection, patience_ms] {
          std::unique_lock<std::mutex> lock(mutex_);
          if (end_.wait_for(lock, std::chrono::milliseconds(patience_ms),
                            [this] { return ended_; }))
            return;
          stopped_ = true;
          // Again until the statement has ended: it may not have begun.
          while (!end_.wait_for(lock, std::chrono::milliseconds(10), [this] { return ended_; }))
            duck->interrupt(connection);
        }) {}
  ~Interrupter() {
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      ended_ = true;
    }
    end_.notify_all();
    thread_.join();
  }
  bool stopped() const {
    const std::lock_guard<std::mutex> lock(mutex_);
    return stopped_;
  }

 private:
  mutable std::mutex mutex_;  // guards what follows
  std::condition_variable end_;
  bool ended_ = false, stopped_ = false;
  std::thread thread_;
};

// The first rows of a statement.
class SomeRows : public SqlRows {
 public:
  SomeRows(uint64_t most, SqlRows* to) : left_(most), to_(*to) {}
  void columns(const std::vector<SqlColumn>& columns) override { to_.columns(columns); }
  void row(const std::vector<SqlCell>& cells) override {
    more_ = left_ == 0;
    if (more_) return;
    --left_;
    to_.row(cells);
  }
  bool more() const { return more_; }

 private:
  uint64_t left_;
  SqlRows& to_;
  bool more_ = false;
};

}  // namespace

struct SqlDatabase::State {
  const DuckDbApi* duck = nullptr;
  DuckDatabase database = nullptr;
};
struct SqlConnection::State {
  std::shared_ptr<SqlDatabase> database;
  const DuckDbApi* duck = nullptr;
  DuckConnection connection = nullptr;
};
struct SqlAppender::State {
  const DuckDbApi* duck = nullptr;
  DuckAppender appender = nullptr;
  DuckChunk chunk = nullptr;
  std::vector<ColumnType> types;
  std::vector<DuckVector> vectors;
  std::vector<void*> data;
  std::vector<uint64_t*> validity;
  std::string error;
};

SqlDatabase::SqlDatabase(std::unique_ptr<State> state) : state_(std::move(state)) {}

SqlDatabase::~SqlDatabase() {
  if (state_->database != nullptr) state_->duck->close(&state_->database);
}

Result<std::shared_ptr<SqlDatabase>> SqlDatabase::open(const SqlOptions& options) {
  const auto found = load_duckdb();
  if (!found.ok()) return found.status();
  const DuckDbApi* duck = found.value();
  auto state = std::make_unique<State>();
  state->duck = duck;
  DuckConfig config = nullptr;
  duck->create_config(&config);
  const auto set = [&](const char* name, const std::string& value) {
    duck->set_config(config, name, value.c_str());
  };
  // Nothing is ever fetched or loaded on behalf of a statement.
  set("autoinstall_known_extensions", "false");
  set("autoload_known_extensions", "false");
  set("temp_directory", options.spill_directory);
  // Beside the run's own tables; what does not fit is spilled.
  if (!options.spill_directory.empty()) set("memory_limit", kMostMemory);
  if (!options.most_spilled.empty()) set("max_temp_directory_size", options.most_spilled);
  if (options.threads != 0) set("threads", std::to_string(options.threads));
  char* error = nullptr;
  const int opened = duck->open_ext(nullptr, &state->database, config, &error);
  duck->destroy_config(&config);
  if (opened != kDuckOk) {
    const Status status = load_error(error != nullptr ? error : "cannot open a database in memory");
    if (error != nullptr) duck->free(error);
    return status;
  }
  return std::shared_ptr<SqlDatabase>(new SqlDatabase(std::move(state)));
}

Result<std::unique_ptr<SqlConnection>> SqlConnection::open(std::shared_ptr<SqlDatabase> database) {
  std::unique_ptr<SqlConnection> connection(new SqlConnection);
  connection->state_ = std::make_unique<State>();
  State& state = *connection->state_;
  state.duck = database->state_->duck;
  state.database = std::move(database);
  if (state.duck->connect(state.database->state_->database, &state.connection) != kDuckOk)
    return load_error("cannot connect to a database in memory");
  return connection;
}

SqlConnection::~SqlConnection() {
  if (state_->connection != nullptr) state_->duck->disconnect(&state_->connection);
}

Status SqlConnection::execute(const std::string& statements) {
  DuckResult result{};
  const int state = state_->duck->query(state_->connection, statements.c_str(), &result);
  Status status;
  if (state != kDuckOk) status = load_error(state_->duck->result_error(&result));
  state_->duck->destroy_result(&result);
  return status;
}

// Every column is cast to text by DuckDB itself, which knows all its types; what they were is asked
// of the prepared statement. Empty: the statement does not select, or cannot stand in parentheses.
Result<std::string> SqlConnection::as_texts(const std::string& text,
                                            std::vector<SqlColumn>* columns) {
  const DuckDbApi& duck = *state_->duck;
  DuckPrepared prepared = nullptr;
  if (duck.prepare(state_->connection, text.c_str(), &prepared) != kDuckOk) {
    Status status = Status::error(duck.prepare_error(prepared));
    duck.destroy_prepare(&prepared);
    return status;
  }
  std::string casts;
  const uint64_t count = duck.prepared_statement_column_count(prepared);
  for (uint64_t i = 0; i < count; ++i) {
    const char* name = duck.prepared_statement_column_name(prepared, i);
    columns->push_back({name, kind_of_type(duck.prepared_statement_column_type(prepared, i))});
    duck.free(const_cast<char*>(name));
    casts += (i == 0 ? "" : ", ") + std::string("CAST(#") + std::to_string(i + 1) + " AS VARCHAR)";
  }
  const bool selects = duck.prepared_statement_type(prepared) == kDuckSelect;
  duck.destroy_prepare(&prepared);
  if (!selects) return std::string();
  std::string wrapped = "SELECT " + casts + " FROM (" + text + "\n)";
  // PRAGMA calls itself a SELECT and cannot stand in parentheses.
  const bool stands = duck.prepare(state_->connection, wrapped.c_str(), &prepared) == kDuckOk;
  duck.destroy_prepare(&prepared);
  return stands ? wrapped : std::string();
}

Status SqlConnection::query(const std::string& statement, SqlRows* rows) {
  const std::string text = without_semicolon(statement);
  std::vector<SqlColumn> columns;
  const auto texts = as_texts(text, &columns);
  if (!texts.ok()) return texts.status();
  return texts.value().empty() ? fetch(text, nullptr, rows) : fetch(texts.value(), &columns, rows);
}

Status SqlConnection::query_within(const SqlLimits& limits, const std::string& statement,
                                   SqlRows* rows, bool* truncated) {
  std::vector<SqlColumn> columns;
  const auto texts = as_texts(without_semicolon(statement), &columns);
  if (!texts.ok()) return texts.status();
  if (texts.value().empty()) return Status::error("only one SELECT is answered here");
  SomeRows some(limits.rows, rows);
  const Interrupter interrupter(state_->duck, state_->connection, limits.patience_ms);
  Status done = fetch(texts.value() + " LIMIT " + std::to_string(limits.rows + 1), &columns, &some);
  *truncated = some.more();
  if (!interrupter.stopped()) return done;
  return Status::error("the statement took longer than " +
                       std::to_string(limits.patience_ms / 1000) +
                       " s and was stopped; ask for fewer rows or a shorter time");
}

// `columns` names them when all are text by cast; else only text, integers and booleans are read.
Status SqlConnection::fetch(const std::string& statement, const std::vector<SqlColumn>* columns,
                            SqlRows* rows) {
  const DuckDbApi& duck = *state_->duck;
  DuckResult result{};
  if (duck.query(state_->connection, statement.c_str(), &result) != kDuckOk) {
    Status status = Status::error(duck.result_error(&result));
    duck.destroy_result(&result);
    return status;
  }
  const uint64_t count = duck.column_count(&result);
  std::vector<SqlColumn> own;
  std::vector<int> types;
  for (uint64_t i = 0; i < count; ++i) {
    types.push_back(duck.column_type(&result, i));
    own.push_back({duck.column_name(&result, i), kind_of_type(types.back())});
  }
  rows->columns(columns != nullptr ? *columns : own);
  std::vector<SqlCell> cells(count);
  std::vector<std::string> numbers(count);
  while (DuckChunk chunk = duck.fetch_chunk(result)) {
    const uint64_t size = duck.data_chunk_get_size(chunk);
    for (uint64_t row = 0; row < size; ++row) {
      for (uint64_t i = 0; i < count; ++i) {
        const DuckVector vector = duck.data_chunk_get_vector(chunk, i);
        const void* data = duck.vector_get_data(vector);
        cells[i] = {};
        if (!is_known(duck.vector_get_validity(vector), row)) continue;
        if (types[i] == kDuckVarchar) {
          cells[i] = {true, string_at(data, row)};
        } else if (types[i] == kDuckBigInt) {
          numbers[i] = std::to_string(static_cast<const int64_t*>(data)[row]);
          cells[i] = {true, numbers[i]};
        } else if (types[i] == kDuckBoolean) {
          cells[i] = {true, static_cast<const uint8_t*>(data)[row] != 0 ? "true" : "false"};
        }
      }
      rows->row(cells);
    }
    duck.destroy_data_chunk(&chunk);
  }
  duck.destroy_result(&result);
  return {};
}

SqlAppender::SqlAppender(SqlConnection* connection, const std::string& table,
                         const std::vector<ColumnType>& types)
    : state_(std::make_unique<State>()) {
  constexpr int kTypes[] = {kDuckBigInt, kDuckUBigInt, kDuckInteger, kDuckDouble, kDuckVarchar};
  State& state = *state_;
  state.duck = connection->state_->duck;
  state.types = types;
  if (state.duck->appender_create(connection->state_->connection, nullptr, table.c_str(),
                                  &state.appender) != kDuckOk) {
    state.error = state.duck->appender_error(state.appender);
    return;
  }
  std::vector<DuckType> logical;
  for (const ColumnType type : types)
    logical.push_back(state.duck->create_logical_type(kTypes[static_cast<size_t>(type)]));
  state.chunk = state.duck->create_data_chunk(logical.data(), logical.size());
  for (DuckType& type : logical) state.duck->destroy_logical_type(&type);
  capacity_ = state.duck->vector_size();
  state.vectors.resize(types.size());
  state.data.resize(types.size());
  state.validity.resize(types.size());
}

SqlAppender::~SqlAppender() {
  if (state_->chunk != nullptr) state_->duck->destroy_data_chunk(&state_->chunk);
  if (state_->appender != nullptr) state_->duck->appender_destroy(&state_->appender);
}

void SqlAppender::set(size_t column, const Value& value) {
  State& state = *state_;
  if (state.chunk == nullptr) return;
  if (filled_ == 0) {  // a chunk was begun: its memory may have moved
    DuckVector vector = state.duck->data_chunk_get_vector(state.chunk, column);
    state.vectors[column] = vector;
    state.duck->vector_ensure_validity_writable(vector);
    state.data[column] = state.duck->vector_get_data(vector);
    state.validity[column] = state.duck->vector_get_validity(vector);
  }
  if (!value.known) {
    state.validity[column][filled_ / 64] &= ~(uint64_t{1} << (filled_ % 64));
    return;
  }
  switch (state.types[column]) {
    case ColumnType::Varchar:
      state.duck->vector_assign_string_element_len(state.vectors[column], filled_,
                                                   value.text.data(), value.text.size());
      break;
    case ColumnType::Double:
      static_cast<double*>(state.data[column])[filled_] = value.real;
      break;
    case ColumnType::Integer:
      static_cast<int32_t*>(state.data[column])[filled_] = static_cast<int32_t>(value.number);
      break;
    default:
      static_cast<int64_t*>(state.data[column])[filled_] = value.number;
  }
}

void SqlAppender::flush() {
  State& state = *state_;
  if (filled_ == 0 || state.chunk == nullptr) return;
  state.duck->data_chunk_set_size(state.chunk, filled_);
  if (state.duck->append_data_chunk(state.appender, state.chunk) != kDuckOk && state.error.empty())
    state.error = state.duck->appender_error(state.appender);
  state.duck->data_chunk_reset(state.chunk);
  filled_ = 0;
}

Status SqlAppender::close() {
  flush();
  State& state = *state_;
  if (state.error.empty() && state.duck->appender_close(state.appender) != kDuckOk)
    state.error = state.duck->appender_error(state.appender);
  return state.error.empty() ? Status() : load_error(state.error);
}

}  // namespace lockstep::analysis
