// All SQL: the schema, and the statements that connections prepare.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace rocktable {

// How a database keeps the rows of entities. The number is the format that it has noted.
enum class PgLayout : std::int64_t {
  Plain = 1,
  Distributed = 2,  // spread over the nodes of Citus (citus.h)
};
// Returns a sentence if tables of this format are those of a newer version.
std::optional<std::string> refuse_format(std::int64_t format);

// `account`, `name` (in lower case) and `id` name a table; `key` is that of utf16_key.h. Ticks are those of DateTime.
enum class Statement {
  Begin,          // READ COMMITTED
  BeginSnapshot,  // REPEATABLE READ, for reads
  BeginCopy,      // REPEATABLE READ, for writes
  Commit,
  Rollback,
  BrieflyLocked,  // in a transaction: its statements wait for locks only briefly

  Ticks,   // () -> ticks of the server's clock
  Watch,   // () -> id of the contents; ticks of the server's clock; 1 if the server has hardly a connection left
  Format,  // () -> number

  // --- Tables
  FindTable,       // (account, name) -> id, created, title, identifiers
  ListTables,      // (account, begin, end, limit) -> name, created, title
  CreateTable,     // (account, name, title, offset, created or NULL) -> id
  DropTable,       // (account, name) -> id
  SetIdentifiers,  // (account, name, document)
  GetProperties,   // (account) -> document
  SetProperties,   // (account, document)
  CountTables,     // (most) -> count
  TableCounts,     // () -> account, count

  // --- Entities
  Get,               // (key) -> ticks, record
  GetMany,           // (keys) -> key, ticks, record, in the order of keys
  Range,             // (begin, end, limit) -> key, ticks, record
  RangeInPartition,  // likewise, of one partition
  RangeBytes,        // (begin, end, limit) -> bytes of the first entities
  CheckTable,        // (account, name, id) -> 1
  LockTicks,         // (keys) -> key, ticks; locks the rows in the order of keys
  LockRows,          // (keys) -> key, ticks, record; likewise

  // Writes of a table that still has its id. No row: refused.
  // (key, record, offset, floor, slot, account, name, id) -> ticks
  InsertOne,
  PutOne,
  ReplaceOne,    // any ETag
  ReplaceMatch,  // (key, record, offset, floor, slot, ticks of the ETag, account, name, id) -> ticks
  DeleteOne,     // (key, account, name, id) -> ticks
  DeleteMatch,   // (key, ticks of the ETag, account, name, id) -> ticks
  InsertNew,     // (keys, records, offset, floor, slot, account, name, id) -> ticks of each
  Guard,         // (account, name, id): fails if the table has another id. Only where the layout is Distributed

  InsertMany,  // (keys, records, ticks)
  UpdateMany,  // likewise
  DeleteMany,  // (keys)

  // --- Resets, copies, the sweep
  NewTableId,      // () -> id
  AddTable,        // (account, name, id, created, title, identifiers)
  EmptyTable,      // (account, name, id) -> former id; no row if it has this one
  DropAccount,     // (account) -> ids
  DropProperties,  // (account)
  DropAll,         // () -> ids
  DropAllProperties,
  SetContents,     // (id)
  CopyProperties,  // (account, former account); leaves a row without properties if the former account has none
  CopyEntities,    // (prefix, begin, end) -> inserts copies under the prefix
  FindDropped,     // () -> 1 if ClaimDropped would find one
  ClaimDropped,    // () -> id of a dropped table whose rows are to be deleted, and its age in seconds
  Sweep,           // (begin, end, limit) -> deletes rows
  ForgetDropped,   // (id)

  FrontEnd,  // () -> a number that has not been given yet
  Backend,   // () -> process; its work, when it and the server were started: PgBackend
  EndWork,   // (work, when they were started) -> a row if it had not ended yet
};

// Which values of the column `part` a statement takes, in a parameter behind its own.
enum class PartOf {
  Nothing,
  Key,       // of the first parameter
  FirstKey,  // of the first parameter, an array: all have the same
  EachKey,   // of the first parameter, an array: one for each
  Table,     // what changes it from one table to another: the first two parameters are in these
};

struct StatementText {
  Statement statement;
  std::string sql;
  bool is_guarded = false;  // its last parameters are those of Guard
  PartOf part = PartOf::Nothing;
};

const std::vector<StatementText>& all_statements(PgLayout layout);
const StatementText& text_of(Statement statement, PgLayout layout);

// Statements that set up a connection.
std::vector<std::string> session_settings(PgLayout layout);

// The statements that make the tables, for an empty schema. Harmless if they exist.
std::string schema_sql(PgLayout layout);

// The ticks of a write are a multiple of this plus the slot of its front end, so that no two front ends use the same.
inline constexpr std::int64_t kSlots = 100;

}  // namespace rocktable
