#include "live/serve/query_answer.h"

#include <algorithm>
#include <chrono>

#include "base/clock_ns.h"
#include "base/json.h"
#include "live/http/gate.h"

namespace lockstep::serve {
namespace {

constexpr const char* kKindNames[] = {"number", "boolean", "string"};  // SqlKind
constexpr const char* kMostSpilled = "4GiB";

// The rows as the array "rows" of the answer, as long as they fit.
class JsonRows : public analysis::SqlRows {
 public:
  explicit JsonRows(JsonFields* out) : out_(*out) {}
  void columns(const std::vector<analysis::SqlColumn>& columns) override {
    columns_ = columns;
    out_.list("columns", columns, [&](const analysis::SqlColumn& column) {
      out_.object([&] {
        out_.string("name", column.name);
        out_.string("type", kKindNames[static_cast<size_t>(column.kind)]);
      });
    });
    put_key(&out_.writer(), "rows");
    out_.writer().StartArray();
  }
  void row(const std::vector<analysis::SqlCell>& cells) override {
    full_ = full_ || out_.text().size() > kMostQueryBytes;
    if (full_) return;
    out_.writer().StartArray();
    for (size_t i = 0; i < cells.size(); ++i) put(columns_[i].kind, cells[i]);
    out_.writer().EndArray();
  }
  bool is_full() const { return full_; }

 private:
  void put(analysis::SqlKind kind, const analysis::SqlCell& cell) {
    // Not every number of SQL is one of JSON: nan, inf.
    const bool number = kind == analysis::SqlKind::Number && !cell.text.empty() &&
                        cell.text.find_first_not_of("0123456789+-.eE") == std::string_view::npos;
    if (!cell.known) {
      out_.writer().Null();
    } else if (number) {
      // Of the type the writer wants to know only whether it can be a key.
      out_.writer().RawValue(cell.text.data(), cell.text.size(), json::kArrayType);
    } else if (kind == analysis::SqlKind::Boolean) {
      out_.writer().Bool(cell.text == "true");
    } else {
      out_.element(cell.text.substr(0, kMostQueryBytes));
    }
  }

  JsonFields& out_;
  std::vector<analysis::SqlColumn> columns_;
  bool full_ = false;
};

}  // namespace

HttpResponse QueryAnswers::answer(const std::shared_ptr<const ServedRun>& run,
                                  const HttpRequest& request) {
  json::Document body;
  if (!parse_json(request.body, &body))
    return error_response(400, "the body is a JSON object: {\"sql\": \"SELECT ...\"}");
  const std::string sql = text_member(body, "sql");
  if (sql.empty()) return error_response(400, "sql: the statement is missing");
  const json::Value* rows = member(body, "max_rows");
  if (rows != nullptr && (!rows->IsUint64() || rows->GetUint64() == 0))
    return error_response(400, "max_rows: from 1 to " + std::to_string(kMostQueryRows));
  const uint64_t most = rows == nullptr ? 1000 : std::min(rows->GetUint64(), kMostQueryRows);
  std::unique_lock<std::timed_mutex> lock(mutex_, std::chrono::milliseconds(kQueryPatienceMs));
  if (!lock.owns_lock())
    return error_response(503, "other statements are running; try again later");
  if (run_ != run) {
    session_.reset();
    run_ = run;
  }
  return ask(sql, most);
}

HttpResponse QueryAnswers::ask(const std::string& sql, uint64_t most_rows) {
  const int64_t begun_ns = mono_now_ns();
  if (session_ == nullptr) {
    auto part = run_->main_part();
    if (!part.ok()) return error_response(503, part.message());
    part_ = std::move(part.value());
    analysis::QueryOptions options;
    options.most_spilled = kMostSpilled;
    auto session = analysis::QuerySession::open(&part_->input, options);
    if (!session.ok()) return error_response(503, session.message());
    session_ = std::move(session.value());
  }
  const Status loaded = session_->load_for(sql);
  if (!loaded.ok()) return error_response(503, loaded.message());
  JsonFields out;
  JsonRows rows(&out);
  bool truncated = false;
  out.writer().StartObject();
  const Status done = session_->query_within({most_rows, kQueryPatienceMs}, sql, &rows, &truncated);
  if (!done.ok()) return error_response(400, done.message());
  out.writer().EndArray();
  out.boolean("truncated", truncated || rows.is_full());
  out.number("elapsed_ms", (mono_now_ns() - begun_ns) / 1'000'000);
  out.writer().EndObject();
  return json_response(out);
}

}  // namespace lockstep::serve
