// Parameters and results in the binary format of PostgreSQL's protocol.
// Source: postgresql.org/docs/current/protocol-overview.html (Formats and Format Codes), and the *send functions of
// types.
#pragma once

#include <libpq-fe.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace rocktable {

// The parameters of one statement. Text of clients is always a parameter, never a part of SQL.
class PgParameters {
 public:
  PgParameters& add(std::string_view bytes);
  PgParameters& add(std::int64_t number);
  PgParameters& add(std::optional<std::int64_t> number);  // nullopt: NULL
  PgParameters& add(std::span<const std::string> list);   // an array of bytea
  PgParameters& add(std::int32_t number);
  PgParameters& add(std::span<const std::int32_t> list);

  // What was added at a place.
  std::string_view bytes_at(std::size_t place) const { return *values_[place]; }
  std::vector<std::string_view> list_at(std::size_t place) const;
  // Removes the last ones.
  PgParameters take_last(std::size_t count);

  int size() const { return static_cast<int>(values_.size()); }
  std::size_t bytes() const;
  // Valid until the next call.
  std::vector<const char*> pointers() const;
  std::vector<int> lengths() const;

 private:
  std::vector<std::optional<std::string>> values_;
};

// A number without sign in binary, of up to eight bytes, the highest first.
std::uint64_t unsigned_in(std::string_view bytes);

struct PgResultDeleter {
  void operator()(PGresult* result) const { PQclear(result); }
};

// The rows of a statement. Views are valid while it lives.
class PgRows {
 public:
  PgRows() = default;
  explicit PgRows(PGresult* result) : result_(result) {}

  int size() const { return result_ ? PQntuples(result_.get()) : 0; }
  bool is_null(int row, int column) const { return PQgetisnull(result_.get(), row, column) != 0; }
  std::string_view bytes(int row, int column) const;
  std::int64_t number(int row, int column) const;
  // The bytes, which may be changed.
  std::span<char> buffer(int row, int column);
  // The number of rows that a write changed.
  std::int64_t changed() const;

 private:
  std::unique_ptr<PGresult, PgResultDeleter> result_;
};

}  // namespace rocktable
