// Every table in one SQLite database, for what opens such files: sqlite3, Python, a BI tool, ClickHouse. SQLite has no
// unsigned numbers, so those of 64 bits are kept by their bits; times and bytes are far from that.
#include "analysis/export/export_files.h"
#include "analysis/export/sqlite_file.h"
#include "analysis/sql/query_session.h"
#include "base/text.h"

namespace lockstep::analysis {
namespace {

// By which people join the tables that grow with a run.
constexpr const char* kIndexes =
    "CREATE INDEX operations_operation ON operations (operation);"
    "CREATE INDEX operations_match ON operations (match);"
    "CREATE INDEX operations_event ON operations (process, event_id);"
    "CREATE INDEX matches_match ON matches (match);"
    "CREATE INDEX arrivals_match ON arrivals (match);"
    "CREATE INDEX arrivals_operation ON arrivals (operation);"
    "CREATE INDEX proxy_steps_operation ON proxy_steps (process, operation_id);";

class SqliteDetails : public DetailSink {
 public:
  SqliteDetails(const RunTables& run, SqliteFile* file)
      : run_(run),
        events_(SqliteTable::of<EventRow>(file, kEventsTable)),
        steps_(SqliteTable::of<ProxyStepRow>(file, kProxyStepsTable)) {}
  void event(const EventRow& row) override { events_->add(run_, row); }
  void proxy_step(const ProxyStepRow& row) override { steps_->add(run_, row); }
  void count(ExportSummary* summary) const {
    summary->add(kEventsTable, events_->rows());
    summary->add(kProxyStepsTable, steps_->rows());
  }

 private:
  const RunTables& run_;
  std::unique_ptr<SqliteTable> events_, steps_;
};

}  // namespace

Status export_sqlite(const ExportInput& input, const ExportOptions& options,
                     ExportSummary* summary) {
  const RunTables& run = *input.run;
  if (has_ending(options.output, ".gz"))
    return Status::error(options.output + ": a SQLite file cannot be compressed; leave out .gz");
  auto file = SqliteFile::create(options.output, options.if_exists);
  if (!file.ok()) return file.status();
  SqliteFile* const database = file.value().get();
  for_each_table(run, [&](const char* name, const auto& rows) {
    using Row = typename std::decay_t<decltype(rows)>::value_type;
    const auto table = SqliteTable::of<Row>(database, name);
    for (const Row& row : rows) table->add(run, row);
    summary->add(name, rows.size());
  });
  {
    SqliteDetails details(run, database);
    Status streamed = for_each_process(
        run, options, [&](uint32_t process) { return input.stream(process, &details); });
    if (!streamed.ok()) return streamed;
    details.count(summary);
  }
  database->execute(kIndexes);
  database->execute(kNcclTraceView);
  return database->commit();
}

}  // namespace lockstep::analysis
