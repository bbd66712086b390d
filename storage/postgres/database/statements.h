// All SQL: the schema, and the statements that connections prepare.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace rocktable {

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
  CreateTable,     // (account, name, title, offset) -> id
  DropTable,       // (account, name) -> id
  SetIdentifiers,  // (account, name, document)
  GetProperties,   // (account) -> document
  SetProperties,   // (account, document)
  CountTables,     // (most) -> count
  TableCounts,     // () -> account, count

  // --- Entities
  Get,         // (key) -> ticks, record
  GetMany,     // (keys) -> key, ticks, record, in the order of keys
  Range,       // (begin, end, limit) -> key, ticks, record
  RangeBytes,  // (begin, end, limit) -> bytes of the first entities
  CheckTable,  // (account, name, id) -> 1
  LockTicks,   // (keys) -> key, ticks; locks the rows in the order of keys
  LockRows,    // (keys) -> key, ticks, record; likewise

  // Single writes. (key, record, offset, floor, slot, account, name, id) -> ticks; no row: refused
  InsertOne,
  PutOne,
  ReplaceOne,    // any ETag
  ReplaceMatch,  // with a further parameter: the ETag's ticks
  DeleteOne,     // (key, account, name, id) -> ticks
  DeleteMatch,   // with a further parameter: the ETag's ticks

  InsertNew,   // (keys, records, offset, floor, slot, account, name, id) -> ticks of each
  InsertMany,  // (keys, records, ticks)
  UpdateMany,  // likewise
  DeleteMany,  // (keys)

  // --- Resets, copies, the sweep
  NewTableId,      // () -> id
  AddTable,        // (account, name, id, created, title, identifiers)
  EmptyTable,      // (account, name) -> former id
  DropAccount,     // (account) -> ids
  DropProperties,  // (account)
  DropAll,         // () -> ids
  DropAllProperties,
  SetContents,     // (id)
  CopyProperties,  // (account, former account); leaves a row without properties if the former account has none
  CopyEntities,    // (prefix, begin, end) -> inserts copies under the prefix
  ClaimDropped,    // () -> id of a dropped table whose rows are to be deleted, and its age in seconds
  Sweep,           // (begin, end, limit) -> deletes rows
  ForgetDropped,   // (id)

  Backend,     // () -> process, when it and the server were started: PgBackend
  EndBackend,  // (likewise) -> a row if it had not ended yet
};

using StatementText = std::pair<Statement, std::string>;

const std::vector<StatementText>& all_statements();

// Statements that set up a connection.
std::vector<std::string> session_settings();

inline constexpr std::int64_t kPostgresFormat = 1;
// Returns a sentence if tables of this format are those of a newer version.
std::optional<std::string> refuse_format(std::int64_t format);

// The statements that make the tables, for an empty schema. Harmless if they exist.
std::string schema_sql();

// The ticks of a write are a multiple of this plus the slot of its front end, so that no two front ends use the same.
inline constexpr std::int64_t kSlots = 100;

}  // namespace rocktable
