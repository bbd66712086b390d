// What a table service refused, in its own words.
#pragma once

#include <boost/system/result.hpp>
#include <chrono>
#include <cstddef>
#include <optional>
#include <stdexcept>
#include <string>

namespace rocktable {

struct TableError {
  int status = 0;                            // of HTTP
  std::string code;                          // `EntityAlreadyExists`; empty where the answer names none
  std::string message;                       // its first line: the others tell request and time
  bool sent_twice = false;                   // the first time it may have been carried out
  std::optional<std::size_t> position = {};  // of the write that failed its transaction
  std::optional<std::chrono::seconds> retry_after = {};  // what the answer asks for

  // `The table specified does not exist. (404 TableNotFound)`
  std::string sentence() const;
};

template <class T>
using TableResult = boost::system::result<T, TableError>;

// A TableError on its way up: thrown by TableResult::value().
class TableException : public std::runtime_error {
 public:
  explicit TableException(const TableError& error) : std::runtime_error(error.sentence()) {}
};

[[noreturn]] inline void throw_exception_from_error(const TableError& error, const boost::source_location&) {
  throw TableException(error);
}

}  // namespace rocktable
