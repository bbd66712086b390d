// The errors that a table service returns.
#pragma once

#include <boost/system/result.hpp>
#include <chrono>
#include <cstddef>
#include <optional>
#include <stdexcept>
#include <string>

namespace rocktable {

// Values of TableError::status.
inline constexpr int kFirstErrorStatus = 400, kNotFound = 404, kPreconditionFailed = 412;

struct TableError {
  int status = 0;                                        // HTTP status; 0: the response was malformed
  std::string code;                                      // `EntityAlreadyExists`; empty if the response has no code
  std::string message;                                   // the first line; the others contain request id and time
  bool sent_twice = false;                               // see HttpResponse::sent_twice
  std::optional<std::size_t> position = {};              // index of the write that failed the transaction
  std::optional<std::chrono::seconds> retry_after = {};  // from the header Retry-After

  // `The table specified does not exist. (404 TableNotFound)`
  std::string sentence() const;
};

template <class T>
using TableResult = boost::system::result<T, TableError>;

// Thrown by TableResult::value().
class TableException : public std::runtime_error {
 public:
  explicit TableException(const TableError& error) : std::runtime_error(error.sentence()) {}
};

[[noreturn]] inline void throw_exception_from_error(const TableError& error, const boost::source_location&) {
  throw TableException(error);
}

}  // namespace rocktable
