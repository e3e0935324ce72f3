#include "analysis/sql/query_session.h"

#include <unistd.h>

#include <cstdlib>
#include <filesystem>

#include "analysis/hostload/load_columns.h"
#include "analysis/hostload/stream_load.h"
#include "analysis/sql/job_views.h"
#include "analysis/sql/sql_split.h"
#include "analysis/tables/table_columns.h"

namespace lockstep::analysis {

// One row per peer a rank sent to in an operation, as far as it went over the network; else one row
// for the operation. Sends that were put together into an all-to-all, gather or scatter go by that
// operation, and a receive has a row only where its send was not recorded: what is transferred is in
// one row. Joins are by equality only, which other engines know too (docs/schema.md).
const char* const kNcclTraceView =
    "CREATE VIEW nccl_trace AS "
    "WITH sent AS (SELECT process, operation_id, rank, peer, sum(size_bytes) AS bytes, "
    "min(start_ns) AS first_ns, max(stop_ns) AS last_ns FROM proxy_steps WHERE is_send = 1 "
    "GROUP BY process, operation_id, rank, peer), "
    "edges AS (SELECT coalesce(p.assembled, p.operation) AS operation, sent.rank AS rank, "
    "sent.peer AS peer, sent.bytes AS bytes, sent.first_ns AS first_ns, sent.last_ns AS last_ns "
    "FROM sent LEFT JOIN operations p ON p.process = sent.process AND p.event_id = "
    "sent.operation_id), "
    "answered AS (SELECT DISTINCT match, 'Recv' AS func FROM operations WHERE func = 'Send') "
    "SELECT o.func AS operation, e.rank AS src_rank, e.peer AS dst_rank, "
    "CAST(e.bytes AS BIGINT) AS bytes_transferred, "
    "(e.last_ns - e.first_ns) / 1e6 AS duration_ms, m.step AS step, e.first_ns AS start_ns, "
    "e.last_ns AS finish_ns, c.name AS comm "
    "FROM edges e LEFT JOIN operations o ON o.operation = e.operation "
    "LEFT JOIN matches m ON m.match = o.match "
    "LEFT JOIN communicators c ON c.communicator = o.communicator "
    "UNION ALL "
    "SELECT o.func, CASE WHEN o.func = 'Recv' THEN o.peer ELSE o.rank END, "
    "CASE WHEN o.func = 'Recv' THEN o.rank WHEN o.kind = 'p2p' THEN o.peer END, o.size_bytes, "
    "(o.finish_ns - coalesce(o.kernel_start_ns, o.kernel_seen_ns, o.enqueue_ns)) / 1e6, m.step, "
    "coalesce(o.kernel_start_ns, o.kernel_seen_ns, o.enqueue_ns), o.finish_ns, c.name "
    "FROM operations o LEFT JOIN matches m ON m.match = o.match "
    "LEFT JOIN communicators c ON c.communicator = o.communicator "
    "LEFT JOIN answered a ON a.match = o.match AND a.func = o.func "
    "WHERE o.assembled IS NULL AND a.match IS NULL "
    "AND NOT EXISTS (SELECT 1 FROM edges WHERE edges.operation = o.operation)";

namespace {

constexpr const char* kNcclTraceTables[] = {"operations", "matches", "communicators",
                                            kProxyStepsTable};

// Both when named; a pass over a process's records costs the same for one.
class DetailAppender : public DetailSink {
 public:
  DetailAppender(const RunTables& run, SqlAppender* events, SqlAppender* steps)
      : run_(run), events_(events), steps_(steps) {}
  void event(const EventRow& row) override {
    if (events_ != nullptr) events_->add(run_, row, events_->rows());
  }
  void proxy_step(const ProxyStepRow& row) override {
    if (steps_ != nullptr) steps_->add(run_, row, steps_->rows());
  }

 private:
  const RunTables& run_;
  SqlAppender *events_, *steps_;
};

constexpr const char* kHostLoadTables[] = {kThreadLoadTable, kHostLoadTable, kNicCountersTable,
                                           kGpuStateTable};

// Those of the host's tables that were named.
class HostLoadAppender : public LoadSink {
 public:
  HostLoadAppender(const RunTables& run, SqlConnection* to, const std::set<std::string>& tables)
      : run_(run) {
    make<ThreadLoadRow>(kThreadLoadTable, to, tables, &threads_);
    make<HostLoadRow>(kHostLoadTable, to, tables, &hosts_);
    make<NicCounterRow>(kNicCountersTable, to, tables, &counters_);
    make<GpuStateRow>(kGpuStateTable, to, tables, &gpus_);
  }
  void thread_load(const ThreadLoadRow& row) override { add(threads_.get(), row); }
  void host_load(const HostLoadRow& row) override { add(hosts_.get(), row); }
  void nic_counter(const NicCounterRow& row) override { add(counters_.get(), row); }
  void gpu_state(const GpuStateRow& row) override { add(gpus_.get(), row); }
  Status close() {
    Status status;
    for (SqlAppender* one : {threads_.get(), hosts_.get(), counters_.get(), gpus_.get()}) {
      if (one != nullptr && status.ok()) status = one->close();
    }
    return status;
  }

 private:
  using Appender = std::unique_ptr<SqlAppender>;
  template <class Row>
  static void make(const char* table, SqlConnection* to, const std::set<std::string>& tables,
                   Appender* appender) {
    if (tables.count(table) != 0)
      *appender = std::make_unique<SqlAppender>(to, table, column_types<Row>());
  }
  template <class Row>
  void add(SqlAppender* to, const Row& row) {
    if (to != nullptr) to->add(run_, row, to->rows());
  }

  const RunTables& run_;
  Appender threads_, hosts_, counters_, gpus_;
};

std::string make_spill_directory() {
  std::error_code error;
  std::string name = std::filesystem::temp_directory_path(error).string() + "/lockstep-sql.XXXXXX";
  return !error && mkdtemp(name.data()) != nullptr ? name : "";
}

}  // namespace

Result<std::unique_ptr<QuerySession>> QuerySession::open(const ExportInput* input,
                                                         const QueryOptions& options) {
  std::unique_ptr<QuerySession> session(new QuerySession);
  session->input_ = input;
  session->spill_directory_ = make_spill_directory();
  auto database =
      SqlDatabase::open({options.threads, session->spill_directory_, options.most_spilled});
  if (!database.ok()) return database.status();
  session->database_ = database.value();
  auto connection = SqlConnection::open(session->database_);
  if (!connection.ok()) return connection.status();
  session->connection_ = std::move(connection.value());
  const Status created = session->create_tables(options.plans_only);
  if (!created.ok()) return created;
  return session;
}

QuerySession::~QuerySession() {
  connection_.reset();
  database_.reset();
  std::error_code ignored;
  if (!spill_directory_.empty()) std::filesystem::remove_all(spill_directory_, ignored);
}

Status QuerySession::create_tables(bool plans_only) {
  std::string statements;
  for_each_table(*input_->run, [&](const char* name, const auto& rows) {
    using Row = typename std::decay_t<decltype(rows)>::value_type;
    statements += create_table_statement<Row>(name) + ";";
  });
  statements += create_table_statement<EventRow>(kEventsTable) + ";";
  statements += create_table_statement<ProxyStepRow>(kProxyStepsTable) + ";";
  statements += create_table_statement<ThreadLoadRow>(kThreadLoadTable) + ";";
  statements += create_table_statement<HostLoadRow>(kHostLoadTable) + ";";
  statements += create_table_statement<NicCounterRow>(kNicCountersTable) + ";";
  statements += create_table_statement<GpuStateRow>(kGpuStateTable) + ";";
  statements += std::string(kNcclTraceView) + ";" + kJobViews;
  if (plans_only)
    statements +=
        "SET disabled_optimizers = "
        "'statistics_propagation,empty_result_pullup,late_materialization';";
  statements += "SET enable_external_access = false; SET lock_configuration = true;";
  return connection_->execute(statements);
}

Status QuerySession::query(const std::string& statement, SqlRows* rows) {
  return connection_->query(statement, rows);
}

Status QuerySession::query_within(const SqlLimits& limits, const std::string& statement,
                                  SqlRows* rows, bool* truncated) {
  return connection_->query_within(limits, statement, rows, truncated);
}

std::set<std::string> tables_of_statement(const std::string& statement) {
  std::set<std::string> words = words_of_statement(statement);
  if (words.count("nccl_trace") != 0)
    words.insert(std::begin(kNcclTraceTables), std::end(kNcclTraceTables));
  add_tables_of_views(&words);
  return words;
}

Status QuerySession::load_for(const std::string& statement) {
  damage_.clear();
  const std::set<std::string> words = tables_of_statement(statement);
  Status status;
  const auto wanted = [&](const char* table) {
    return status.ok() && words.count(table) != 0 && loaded_.insert(table).second;
  };
  for_each_table(*input_->run, [&](const char* name, const auto& rows) {
    using Row = typename std::decay_t<decltype(rows)>::value_type;
    if (!wanted(name)) return;
    SqlAppender appender(connection_.get(), name, column_types<Row>());
    for (const Row& row : rows) appender.add(*input_->run, row, appender.rows());
    status = appender.close();
  });
  std::set<std::string> host_load;
  for (const char* table : kHostLoadTables) {
    if (wanted(table)) host_load.insert(table);
  }
  if (!host_load.empty()) status = load_host_load(host_load);
  const bool events = wanted(kEventsTable), steps = wanted(kProxyStepsTable);
  return status.ok() && (events || steps) ? load_details(events, steps) : status;
}

Status QuerySession::load_host_load(const std::set<std::string>& tables) {
  HostLoadAppender appender(*input_->run, connection_.get(), tables);
  damage_ = stream_load(input_->directory, *input_->run, &appender);
  return appender.close();
}

Status QuerySession::load_details(bool events, bool steps) {
  std::unique_ptr<SqlAppender> event_rows, step_rows;
  if (events) {
    event_rows =
        std::make_unique<SqlAppender>(connection_.get(), kEventsTable, column_types<EventRow>());
  }
  if (steps) {
    step_rows = std::make_unique<SqlAppender>(connection_.get(), kProxyStepsTable,
                                              column_types<ProxyStepRow>());
  }
  DetailAppender sink(*input_->run, event_rows.get(), step_rows.get());
  for (uint32_t i = 0; i < input_->run->processes.size(); ++i) {
    Status streamed = input_->stream(i, &sink);
    if (!streamed.ok()) return streamed;
  }
  Status status;
  if (event_rows != nullptr) status = event_rows->close();
  if (step_rows != nullptr && status.ok()) status = step_rows->close();
  return status;
}

}  // namespace lockstep::analysis
