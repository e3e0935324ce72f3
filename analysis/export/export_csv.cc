// Every table as a CSV file with a header line (RFC 4180): NULL is an empty field, a text with a
// comma, quote or line break is quoted.
#include <cinttypes>
#include <cstdio>

#include "analysis/export/export_files.h"
#include "analysis/export/output_directory.h"
#include "analysis/tables/table_columns.h"
#include "base/csv_field.h"

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
  explicit CsvFile(std::unique_ptr<OutputFile> file) : file_(std::move(file)) {}

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
        line_ += csv_field(value.text);
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
  void end() {
    line_ += '\n';
    file_->write(line_);
    line_.clear();
  }

  std::unique_ptr<OutputFile> file_;
  std::string line_;
  uint64_t rows_ = 0;
};

using Made = Result<std::unique_ptr<OutputFile>>;

class CsvDetails : public DetailSink {
 public:
  static Result<std::unique_ptr<CsvDetails>> into(Made events, Made steps, const RunTables& run) {
    if (!events.ok()) return events.status();
    if (!steps.ok()) return steps.status();
    return std::make_unique<CsvDetails>(run, std::move(events.value()), std::move(steps.value()));
  }
  CsvDetails(const RunTables& run, std::unique_ptr<OutputFile> events,
             std::unique_ptr<OutputFile> steps)
      : run_(run), events_(std::move(events)), steps_(std::move(steps)) {}

  void event(const EventRow& row) override { events_.row(run_, row); }
  void proxy_step(const ProxyStepRow& row) override { steps_.row(run_, row); }
  RowCounts rows() const {
    return {{kEventsTable, events_.rows()}, {kProxyStepsTable, steps_.rows()}};
  }
  Status commit() {
    const Status committed = events_.commit();
    return committed.ok() ? steps_.commit() : committed;
  }

 private:
  const RunTables& run_;
  CsvFile events_, steps_;
};

std::string details_file(const std::string& folder, const std::string& host, const char* table) {
  return folder + "/" + host + "." + table + ".csv";
}

// A file of `directory`, begun with its header.
template <class Row>
Made table_file(const OutputDirectory& directory, const std::string& table) {
  auto file = directory.file(table + ".csv");
  if (file.ok()) file.value()->write(header_of<Row>());
  return file;
}

// Each host's rows follow the header in the order of the processes, as if they were streamed here.
template <class Row>
Status join_table(const ExportInput& input, const ExportOptions& options,
                  const OutputDirectory& directory, const char* table) {
  auto file = table_file<Row>(directory, table);
  if (!file.ok()) return file.status();
  for (const std::string& host : hosts_of(*input.run)) {
    Status added = append_file(details_file(options.details, host, table), file.value().get());
    if (!added.ok()) return added;
  }
  return file.value()->commit();
}

Status join_details(const ExportInput& input, const ExportOptions& options,
                    const OutputDirectory& directory, RowCounts* rows) {
  Status status = join_table<EventRow>(input, options, directory, kEventsTable);
  if (status.ok()) status = join_table<ProxyStepRow>(input, options, directory, kProxyStepsTable);
  for (const std::string& host : hosts_of(*input.run))
    if (status.ok()) status = add_row_counts(options.details, host, rows);
  return status;
}

Status stream_details(const ExportInput& input, const ExportOptions& options,
                      const OutputDirectory& directory, RowCounts* rows) {
  const auto details =
      CsvDetails::into(table_file<EventRow>(directory, kEventsTable),
                       table_file<ProxyStepRow>(directory, kProxyStepsTable), *input.run);
  if (!details.ok()) return details.status();
  Status status = for_each_process(*input.run, options, [&](uint32_t process) {
    return input.stream(process, details.value().get());
  });
  *rows = details.value()->rows();
  return status.ok() ? details.value()->commit() : status;
}

}  // namespace

Status export_csv(const ExportInput& input, const ExportOptions& options, ExportSummary* summary) {
  auto directory = OutputDirectory::create(options.output, options.if_exists);
  if (!directory.ok()) return directory.status();
  Status status;
  for_each_table(*input.run, [&](const char* name, const auto& rows) {
    using Row = typename std::decay_t<decltype(rows)>::value_type;
    if (!status.ok()) return;
    auto created = table_file<Row>(*directory.value(), name);
    if (!created.ok()) {
      status = created.status();
      return;
    }
    CsvFile file(std::move(created.value()));
    for (const Row& row : rows) file.row(*input.run, row);
    summary->add(name, rows.size());
    status = file.commit();
  });
  const auto write_details = options.details.empty() ? stream_details : join_details;
  RowCounts details;
  if (status.ok()) status = write_details(input, options, *directory.value(), &details);
  if (!status.ok()) return status;
  for (const auto& [table, count] : details) summary->add(table, count);
  return directory.value()->commit("lockstep tables as CSV; docs/schema.md says what they mean\n");
}

Status export_csv_host(const ExportInput& input, const ExportOptions& options,
                       const std::string& host) {
  const auto file_of = [&](const char* table) {
    return OutputFile::create(details_file(options.output, host, table), IfExists::Refuse);
  };
  const auto details =
      CsvDetails::into(file_of(kEventsTable), file_of(kProxyStepsTable), *input.run);
  if (!details.ok()) return details.status();
  for (uint32_t i = 0; i < input.run->processes.size(); ++i) {
    if (input.run->text(input.run->processes[i].host) != host) continue;
    Status streamed = input.stream(i, details.value().get());
    if (!streamed.ok()) return streamed;
  }
  const Status committed = details.value()->commit();
  return committed.ok() ? write_row_counts(options.output, host, details.value()->rows())
                        : committed;
}

}  // namespace lockstep::analysis
