// DuckDB's C functions, found at run time: nothing of lockstep needs the library to start, and only
// `query` and the parquet export need it at all. Declared here are just the entry points that
// sql.cc uses, as DuckDB's documentation gives them. Loaded once per process by the first caller,
// from any thread, and never unloaded.
#pragma once

#include <cstdint>

#include "lockstep/status.h"

namespace lockstep::analysis {

// Opaque to us; only their pointers cross.
struct DuckHandle;
using DuckDatabase = DuckHandle*;
using DuckConnection = DuckHandle*;
using DuckConfig = DuckHandle*;
using DuckPrepared = DuckHandle*;
using DuckAppender = DuckHandle*;
using DuckChunk = DuckHandle*;
using DuckVector = DuckHandle*;
using DuckType = DuckHandle*;

struct DuckResult {  // duckdb_result: five fields that only old code reads, and the result
  uint64_t deprecated_counts[3];
  void* deprecated_columns;
  char* deprecated_error;
  void* internal;
};

enum DuckTypeId : int {  // those that are asked for by number
  kDuckBoolean = 1,
  kDuckTinyInt = 2,
  kDuckInteger = 4,
  kDuckBigInt = 5,
  kDuckUBigInt = 9,
  kDuckFloat = 10,
  kDuckDouble = 11,
  kDuckHugeInt = 16,
  kDuckVarchar = 17,
  kDuckDecimal = 19,
  kDuckUHugeInt = 32,
};
constexpr int kDuckSelect = 1;  // of a prepared statement's type
constexpr int kDuckOk = 0;      // of every int below that is a state

// name without duckdb_, result, arguments
// clang-format off
#define LOCKSTEP_DUCKDB_FUNCTIONS(X) \
  X(create_config, int, (DuckConfig*)) \
  X(set_config, int, (DuckConfig, const char*, const char*)) \
  X(destroy_config, void, (DuckConfig*)) \
  X(open_ext, int, (const char*, DuckDatabase*, DuckConfig, char**)) \
  X(close, void, (DuckDatabase*)) \
  X(connect, int, (DuckDatabase, DuckConnection*)) \
  X(disconnect, void, (DuckConnection*)) \
  X(interrupt, void, (DuckConnection)) \
  X(free, void, (void*)) \
  X(query, int, (DuckConnection, const char*, DuckResult*)) \
  X(destroy_result, void, (DuckResult*)) \
  X(result_error, const char*, (DuckResult*)) \
  X(column_count, uint64_t, (DuckResult*)) \
  X(column_name, const char*, (DuckResult*, uint64_t)) \
  X(column_type, int, (DuckResult*, uint64_t)) \
  X(fetch_chunk, DuckChunk, (DuckResult)) \
  X(prepare, int, (DuckConnection, const char*, DuckPrepared*)) \
  X(prepare_error, const char*, (DuckPrepared)) \
  X(prepared_statement_type, int, (DuckPrepared)) \
  X(prepared_statement_column_count, uint64_t, (DuckPrepared)) \
  X(prepared_statement_column_type, int, (DuckPrepared, uint64_t)) \
  X(prepared_statement_column_name, const char*, (DuckPrepared, uint64_t)) \
  X(destroy_prepare, void, (DuckPrepared*)) \
  X(create_logical_type, DuckType, (int)) \
  X(destroy_logical_type, void, (DuckType*)) \
  X(create_data_chunk, DuckChunk, (DuckType*, uint64_t)) \
  X(destroy_data_chunk, void, (DuckChunk*)) \
  X(data_chunk_reset, void, (DuckChunk)) \
  X(data_chunk_get_size, uint64_t, (DuckChunk)) \
  X(data_chunk_set_size, void, (DuckChunk, uint64_t)) \
  X(data_chunk_get_vector, DuckVector, (DuckChunk, uint64_t)) \
  X(vector_get_data, void*, (DuckVector)) \
  X(vector_get_validity, uint64_t*, (DuckVector)) \
  X(vector_ensure_validity_writable, void, (DuckVector)) \
  X(vector_assign_string_element_len, void, (DuckVector, uint64_t, const char*, uint64_t)) \
  X(vector_size, uint64_t, ()) \
  X(appender_create, int, (DuckConnection, const char*, const char*, DuckAppender*)) \
  X(append_data_chunk, int, (DuckAppender, DuckChunk)) \
  X(appender_error, const char*, (DuckAppender)) \
  X(appender_close, int, (DuckAppender)) \
  X(appender_destroy, int, (DuckAppender*))
// clang-format on

struct DuckDbApi {
// NOLINTNEXTLINE(bugprone-macro-parentheses): they would change the declaration
#define LOCKSTEP_DUCKDB_MEMBER(name, result, arguments) result(*name) arguments = nullptr;
  LOCKSTEP_DUCKDB_FUNCTIONS(LOCKSTEP_DUCKDB_MEMBER)
#undef LOCKSTEP_DUCKDB_MEMBER
};

// Looks for the library at LOCKSTEP_DUCKDB, beside the command, in ./node_modules and the command's
// source tree's, then on the loader's path. The error says what was tried and how to get it.
Result<const DuckDbApi*> load_duckdb();

}  // namespace lockstep::analysis
