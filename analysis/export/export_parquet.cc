// Every table as Parquet, written by DuckDB: <table>/host=<host>/part-0.parquet for tables whose
// rows belong to a host, <table>/part-0.parquet for the others, and views.sql that names them all.
// Hosts are converted in parallel, each by one thread that streams its own processes; what does not
// fit in memory is spilled beside the output and removed.
#include <algorithm>
#include <atomic>
#include <filesystem>
#include <map>
#include <mutex>

#include "analysis/export/export_files.h"
#include "analysis/export/output_directory.h"
#include "analysis/sql/query_session.h"
#include "analysis/sql/sql.h"
#include "base/parallel.h"
#include "base/url_encoded.h"

namespace lockstep::analysis {
namespace {

constexpr const char* kUnits =
    "units by suffix: _ns nanoseconds, _bytes bytes, _gbs 1e9 bytes/s; NULL = not known; "
    "docs/schema.md of lockstep";

template <class Row>
int host_column() {
  const auto& columns = columns_of<Row>();
  for (size_t i = 0; i < columns.size(); ++i) {
    if (std::string_view(columns[i].name) == "host") return static_cast<int>(i);
  }
  return -1;
}

std::string folder_of(const std::string& directory, const std::string& table,
                      const std::string& host) {
  return directory + "/" + table + "/host=" + url_encoded(host);
}

std::string quoted(const std::string& text) {
  std::string result = "'";
  for (const char c : text) result += c == '\'' ? std::string("''") : std::string(1, c);
  return result + "'";
}

// The streamed rows of one of the two kinds.
template <class Row>
class OneKind : public DetailSink {
 public:
  OneKind(const RunTables& run, SqlAppender* rows) : run_(run), rows_(rows) {}
  void event(const EventRow& row) override { take(row); }
  void proxy_step(const ProxyStepRow& row) override { take(row); }

 private:
  template <class Given>
  void take(const Given& row) {
    if constexpr (std::is_same_v<Given, Row>) rows_->add(run_, row, rows_->rows());
  }
  const RunTables& run_;
  SqlAppender* rows_;
};

class Conversion {
 public:
  Conversion(const ExportInput& input, const ExportOptions& options, std::string directory,
             std::shared_ptr<SqlDatabase> database)
      : input_(input),
        run_(*input.run),
        options_(options),
        directory_(std::move(directory)),
        database_(std::move(database)) {
    for (uint32_t i = 0; i < run_.processes.size(); ++i)
      processes_of_[run_.text(run_.processes[i].host)].push_back(i);
    for (const auto& [host, processes] : processes_of_) hosts_.push_back(host);
  }

  Status run() {
    sort_rows();
    Status status = common_tables();
    if (!status.ok()) return status;
    in_parallel(hosts_.size(), options_.threads, [this](size_t i) { convert(hosts_[i]); });
    return failure_;
  }
  // The streamed tables of one host and nothing else.
  Status run_details(const std::string& host) {
    auto connection = SqlConnection::open(database_);
    if (!connection.ok()) return connection.status();
    return streamed_tables(connection.value().get(), host);
  }
  const RowCounts& rows() const { return rows_; }

 private:
  void convert(const std::string& host) {
    if (failed_) return;
    const Status status = tables_of(host);
    const std::lock_guard<std::mutex> lock(mutex_);
    if (status.ok())
      return report(options_, static_cast<double>(++done_) / static_cast<double>(hosts_.size()));
    failed_ = true;
    failure_ = status;
  }

  // The rows of each table by their host: looking through all of them for every host would take the
  // square of the hosts.
  void sort_rows() {
    for_each_table(run_, [&](const char* name, const auto& rows) {
      using Row = typename std::decay_t<decltype(rows)>::value_type;
      const int column = host_column<Row>();
      if (column < 0) return;
      const auto& get = columns_of<Row>()[static_cast<size_t>(column)].get;
      auto& of_host = rows_of_[name];
      for (size_t i = 0; i < rows.size(); ++i)
        of_host[std::string(get(run_, rows[i], i).text)].push_back(static_cast<uint32_t>(i));
    });
  }

  Status common_tables() {
    auto connection = SqlConnection::open(database_);
    if (!connection.ok()) return connection.status();
    Status status;
    for_each_table(run_, [&](const char* name, const auto& rows) {
      using Row = typename std::decay_t<decltype(rows)>::value_type;
      if (!status.ok() || host_column<Row>() >= 0) return;
      status = table<Row>(connection.value().get(), name, "", [&](SqlAppender* appender) {
        for (const Row& row : rows) appender->add(run_, row, appender->rows());
        return Status();
      });
    });
    return status;
  }

  Status tables_of(const std::string& host) {
    auto connection = SqlConnection::open(database_);
    if (!connection.ok()) return connection.status();
    Status status;
    for_each_table(run_, [&](const char* name, const auto& rows) {
      using Row = typename std::decay_t<decltype(rows)>::value_type;
      if (!status.ok() || host_column<Row>() < 0) return;
      status = table<Row>(connection.value().get(), name, host, [&](SqlAppender* appender) {
        const auto& of_host = rows_of_.at(name);
        const auto own = of_host.find(host);
        if (own == of_host.end()) return Status();
        for (const uint32_t i : own->second) appender->add(run_, rows[i], i);
        return Status();
      });
    });
    if (!status.ok()) return status;
    return options_.details.empty() ? streamed_tables(connection.value().get(), host) : moved(host);
  }

  Status streamed_tables(SqlConnection* connection, const std::string& host) {
    const Status status = details<EventRow>(connection, kEventsTable, host);
    return status.ok() ? details<ProxyStepRow>(connection, kProxyStepsTable, host) : status;
  }

  // Another node has streamed them.
  Status moved(const std::string& host) {
    for (const char* table : {kEventsTable, kProxyStepsTable}) {
      std::error_code error;
      std::filesystem::create_directories(directory_ + "/" + table, error);
      std::filesystem::rename(folder_of(options_.details, table, host),
                              folder_of(directory_, table, host), error);
      if (error)
        return Status::error(folder_of(options_.details, table, host) + ": " + error.message());
    }
    const std::lock_guard<std::mutex> lock(mutex_);
    return add_row_counts(options_.details, host, &rows_);
  }

  // One table at a time, so that only one is in memory or spilled per host.
  template <class Row>
  Status details(SqlConnection* connection, const char* name, const std::string& host) {
    return table<Row>(connection, name, host, [&](SqlAppender* appender) {
      OneKind<Row> sink(run_, appender);
      for (const uint32_t process : processes_of_.at(host)) {
        Status streamed = input_.stream(process, &sink);
        if (!streamed.ok()) return streamed;
      }
      return Status();
    });
  }

  template <class Row, class Fill>
  Status table(SqlConnection* connection, const std::string& name, const std::string& host,
               Fill fill) {
    const bool partitioned = host_column<Row>() >= 0;
    const std::string own = "t" + std::to_string(tables_++);
    Status status = connection->execute(create_table_statement<Row>(own));
    if (!status.ok()) return status;
    SqlAppender appender(connection, own, column_types<Row>());
    status = fill(&appender);
    if (status.ok()) status = appender.close();
    if (!status.ok()) return status;
    const std::string folder =
        partitioned ? folder_of(directory_, name, host) : directory_ + "/" + name;
    std::error_code error;
    std::filesystem::create_directories(folder, error);
    if (error) return Status::error("cannot make " + folder + ": " + error.message());
    status = connection->execute(
        "COPY (SELECT * " + std::string(partitioned ? "EXCLUDE (host) " : "") + "FROM " + own +
        ") TO " + quoted(folder + "/part-0.parquet") +
        " (FORMAT parquet, COMPRESSION zstd, KV_METADATA {lockstep: " + quoted(kUnits) +
        "}); DROP TABLE " + own);
    const std::lock_guard<std::mutex> lock(mutex_);
    rows_[name] += appender.rows();
    return status;
  }

  const ExportInput& input_;
  const RunTables& run_;
  const ExportOptions& options_;
  const std::string directory_;
  std::shared_ptr<SqlDatabase> database_;
  std::map<std::string, std::vector<uint32_t>> processes_of_;  // by host
  std::vector<std::string> hosts_;
  std::map<std::string, std::map<std::string, std::vector<uint32_t>>> rows_of_;  // by table, host
  std::atomic<size_t> tables_{0};
  std::atomic<bool> failed_{false};
  std::mutex mutex_;  // guards what follows
  Status failure_;
  size_t done_ = 0;
  RowCounts rows_;
};

// So that DuckDB answers the same SQL from the files: `.read views.sql` in their directory.
std::string views(const RowCounts& tables) {
  std::string text;
  for (const auto& [table, rows] : tables) {
    text += "CREATE VIEW " + table + " AS SELECT * FROM read_parquet('" + table +
            "/**/*.parquet', hive_partitioning = true, hive_types_autocast = false);\n";
  }
  return text + kNcclTraceView + ";\n";
}

// The rows that `convert` wrote into `directory`. What DuckDB spills goes to `spill`, and then
// away.
template <class Convert>
Result<RowCounts> converted(const ExportInput& input, const ExportOptions& options,
                            const std::string& directory, const std::string& spill,
                            const Convert& convert) {
  RowCounts rows;
  {
    auto database = SqlDatabase::open({options.threads, spill});
    if (!database.ok()) return database.status();
    Conversion conversion(input, options, directory, database.value());
    Status done = convert(&conversion);
    if (!done.ok()) return done;
    rows = conversion.rows();
  }
  std::error_code ignored;
  std::filesystem::remove_all(spill, ignored);
  return rows;
}

}  // namespace

Status export_parquet(const ExportInput& input, const ExportOptions& options,
                      ExportSummary* summary) {
  auto directory = OutputDirectory::create(options.output, options.if_exists);
  if (!directory.ok()) return directory.status();
  const std::string& path = directory.value()->path();
  const auto rows = converted(input, options, path, path + "/.spill",
                              [](Conversion* conversion) { return conversion->run(); });
  if (!rows.ok()) return rows.status();
  auto file = directory.value()->file("views.sql");
  if (!file.ok()) return file.status();
  file.value()->write(views(rows.value()));
  Status written = file.value()->commit();
  if (!written.ok()) return written;
  for (const auto& [table, count] : rows.value()) summary->add(table, count);
  return directory.value()->commit("lockstep tables as Parquet; docs/schema.md says how to read\n");
}

Status export_parquet_host(const ExportInput& input, const ExportOptions& options,
                           const std::string& host) {
  const auto rows =
      converted(input, options, options.output, options.output + "/.spill." + url_encoded(host),
                [&host](Conversion* conversion) { return conversion->run_details(host); });
  return rows.ok() ? write_row_counts(options.output, host, rows.value()) : rows.status();
}

}  // namespace lockstep::analysis
