// The types in the interface of the store: options, names and rows of tables, refusals.
#pragma once

#include <boost/system/result.hpp>
#include <chrono>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "base/date_time.h"
#include "base/time_source.h"
#include "odata/error.h"
#include "storage/store_error.h"

namespace rocktable {

struct StoreEnvironment;  // store_environment.h

struct StoreOptions {
  std::filesystem::path directory;  // created if absent; may be a link to an existing folder; ignored in memory
  bool in_memory = false;           // nothing is written to disk, nothing survives the process
  bool sync = false;                // fsync each commit: survives power loss, not only the death of the process
  // Called from any thread with a sentence for the user.
  std::function<void(const std::string&)> warn = {};
  // Called once, from another thread, if the store could not be reopened within `reopen_timeout` after a
  // failed restore. The argument is the reason. From then on the store refuses all calls. Its files are
  // whole: the next start opens them.
  std::function<void(const std::string&)> give_up = {};
  std::chrono::milliseconds reopen_timeout = std::chrono::seconds(60);
  std::shared_ptr<const TimeSource> time = std::make_shared<TimeSource>();  // of timestamps
  std::string url = {};  // of a database (storage/postgres/); empty: the embedded store
  std::chrono::milliseconds timeout = std::chrono::seconds(10);  // for the database to answer
  std::size_t max_connections = 40;                              // to the database
  std::chrono::milliseconds wait{0};                             // for a database that is not up yet, at the start
  // Whether the user has asked for an end meanwhile. Empty: nobody can.
  std::function<bool()> must_stop = {};
  const StoreEnvironment* environment = nullptr;  // file system of tests; null: the real one
};

// Names a table. Names are compared without regard to ASCII case.
struct TableName {
  std::string_view account;
  std::string_view table;
};

struct Table {
  std::string name;  // as created
  DateTime created;
};

// A refused transaction: the position of the refused write, and the reason.
struct WriteRefusal {
  std::size_t position;
  Error error;
};

[[noreturn]] inline void throw_exception_from_error(const WriteRefusal& refusal, const boost::source_location&) {
  throw ServiceException(refusal.error);
}

template <class T>
using CommitResult = boost::system::result<T, WriteRefusal>;

}  // namespace rocktable
