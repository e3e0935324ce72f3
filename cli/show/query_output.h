// Rows of a query as people or programs want them: an aligned table, JSON (one array of objects a
// statement, a line each), CSV. JSON and CSV are printed as rows come; the table when all are here.
#pragma once

#include <memory>
#include <string>

#include "analysis/sql/sql.h"

namespace lockstep::cli {

enum class QueryFormat { Table, Json, Csv };

class QueryOutput : public analysis::SqlRows {
 public:
  // After the last row of a statement that succeeded.
  virtual void finish() = 0;
};

std::unique_ptr<QueryOutput> make_query_output(QueryFormat format);
// JSON into `rows`, which then has the rows of the last statement.
std::unique_ptr<QueryOutput> make_json_output(std::string* rows);

}  // namespace lockstep::cli
