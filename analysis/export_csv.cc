// Every table as a CSV file with a header line (RFC 4180): NULL is an empty field, a text with a
// comma, quote or line break is quoted.
#include <cinttypes>
#include <cstdio>

#include "analysis/csv_field.h"
#include "analysis/export.h"
#include "analysis/host_details.h"
#include "analysis/table_columns.h"

namespace lockstep::analysis {
namespace {

template <class Row>
std::string header_of() {
  std::string line;
  for (const auto& column : columns_of<Row>())
    line += (line.empty() ? "" : ",") + std::string(column.name);
  return line + '\n';
}

class CsvFile {
 public:
  static Result<std::unique_ptr<CsvFile>> create(const OutputDirectory& directory,
                                                 const std::string& table) {
    auto file = directory.file(table + ".csv");
    if (!file.ok()) return file.status();
    return std::make_unique<CsvFile>(std::move(file.value()));
  }
  explicit CsvFile(std::unique_ptr<OutputFile> file) : file_(std::move(file)) {}

  template <class Row>
  void header() {
    file_->write(header_of<Row>());
  }
  template <class Row>
  void row(const RunTables& run, const Row& row) {
    bool first = true;
    for (const auto& column : columns_of<Row>()) {
      if (!first) line_ += ',';
      first = false;
      const Value value = column.get(run, row, rows_);
      if (value.known) append(column.type, value);
    }
    ++rows_;
    end();
  }
  uint64_t rows() const { return rows_; }
  Status commit() { return file_->commit(); }

 private:
  void append(ColumnType type, const Value& value) {
    char text[40];
    switch (type) {
      case ColumnType::Varchar:
        append_text(value.text);
        return;
      case ColumnType::Double:
        std::snprintf(text, sizeof(text), "%.12g", value.real);
        break;
      case ColumnType::UBigInt:
        std::snprintf(text, sizeof(text), "%" PRIu64, static_cast<uint64_t>(value.number));
        break;
      default:
        std::snprintf(text, sizeof(text), "%" PRId64, value.number);
    }
    line_ += text;
  }
  void append_text(std::string_view text) { line_ += csv_field(text); }
  void end() {
    line_ += '\n';
    file_->write(line_);
    line_.clear();
  }

  std::unique_ptr<OutputFile> file_;
  std::string line_;
  uint64_t rows_ = 0;
};

class CsvDetails : public DetailSink {
 public:
  CsvDetails(const RunTables& run, CsvFile* events, CsvFile* steps)
      : run_(run), events_(events), steps_(steps) {}
  void event(const EventRow& row) override { events_->row(run_, row); }
  void proxy_step(const ProxyStepRow& row) override { steps_->row(run_, row); }

 private:
  const RunTables& run_;
  CsvFile *events_, *steps_;
};

std::string details_file(const std::string& folder, const std::string& host, const char* table) {
  return folder + "/" + host + "." + table + ".csv";
}

// Each host's rows follow the header in the order of the processes, as if they were streamed here.
Status join_details(const ExportInput& input, const ExportOptions& options,
                    const OutputDirectory& directory, ExportSummary* summary) {
  RowCounts rows;
  const auto join = [&](const char* table, auto kind) {
    auto file = directory.file(std::string(table) + ".csv");
    if (!file.ok()) return file.status();
    file.value()->write(header_of<decltype(kind)>());
    for (const std::string& host : hosts_of(*input.run)) {
      Status added = append_file(details_file(options.details, host, table), file.value().get());
      if (!added.ok()) return added;
    }
    return file.value()->commit();
  };
  Status status = join(kEventsTable, EventRow());
  if (status.ok()) status = join(kProxyStepsTable, ProxyStepRow());
  for (const std::string& host : hosts_of(*input.run))
    if (status.ok()) status = add_row_counts(options.details, host, &rows);
  for (const auto& [table, count] : rows) summary->add(table, count);
  return status;
}

Status stream_details(const ExportInput& input, const ExportOptions& options,
                      const OutputDirectory& directory, ExportSummary* summary) {
  auto events = CsvFile::create(directory, kEventsTable);
  if (!events.ok()) return events.status();
  auto steps = CsvFile::create(directory, kProxyStepsTable);
  if (!steps.ok()) return steps.status();
  events.value()->header<EventRow>();
  steps.value()->header<ProxyStepRow>();
  CsvDetails sink(*input.run, events.value().get(), steps.value().get());
  const size_t processes = input.run->processes.size();
  for (uint32_t i = 0; i < processes; ++i) {
    report(options, static_cast<double>(i) / static_cast<double>(processes));
    Status streamed = input.stream(i, &sink);
    if (!streamed.ok()) return streamed;
  }
  summary->add(kEventsTable, events.value()->rows());
  summary->add(kProxyStepsTable, steps.value()->rows());
  const Status committed = events.value()->commit();
  return committed.ok() ? steps.value()->commit() : committed;
}

}  // namespace

Status export_csv(const ExportInput& input, const ExportOptions& options, ExportSummary* summary) {
  auto directory = OutputDirectory::create(options.output, options.if_exists);
  if (!directory.ok()) return directory.status();
  Status status;
  for_each_table(*input.run, [&](const char* name, const auto& rows) {
    using Row = typename std::decay_t<decltype(rows)>::value_type;
    if (!status.ok()) return;
    auto file = CsvFile::create(*directory.value(), name);
    if (!file.ok()) {
      status = file.status();
      return;
    }
    file.value()->template header<Row>();
    for (const Row& row : rows) file.value()->row(*input.run, row);
    summary->add(name, rows.size());
    status = file.value()->commit();
  });
  const auto write_details = options.details.empty() ? stream_details : join_details;
  if (status.ok()) status = write_details(input, options, *directory.value(), summary);
  if (!status.ok()) return status;
  report(options, 1);
  return directory.value()->commit("lockstep tables as CSV; docs/schema.md says what they mean\n");
}

Status export_csv_host(const ExportInput& input, const ExportOptions& options,
                       const std::string& host) {
  const auto create = [&](const char* table) {
    return OutputFile::create(details_file(options.output, host, table), IfExists::Refuse);
  };
  auto events = create(kEventsTable), steps = create(kProxyStepsTable);
  if (!events.ok()) return events.status();
  if (!steps.ok()) return steps.status();
  CsvFile event_rows(std::move(events.value())), step_rows(std::move(steps.value()));
  CsvDetails sink(*input.run, &event_rows, &step_rows);
  for (uint32_t i = 0; i < input.run->processes.size(); ++i) {
    if (input.run->text(input.run->processes[i].host) != host) continue;
    Status streamed = input.stream(i, &sink);
    if (!streamed.ok()) return streamed;
  }
  for (CsvFile* file : {&event_rows, &step_rows}) {
    Status committed = file->commit();
    if (!committed.ok()) return committed;
  }
  return write_row_counts(
      options.output, host,
      {{kEventsTable, event_rows.rows()}, {kProxyStepsTable, step_rows.rows()}});
}

}  // namespace lockstep::analysis
