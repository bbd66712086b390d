// The thread pools of the executors (calls/call.h): one for each kind of slow work, so that no kind waits for the
// threads of another.
#pragma once

#include <boost/asio/thread_pool.hpp>
#include <optional>

#include "server/calls/call.h"

namespace rocktable {

class Executors {
 public:
  static constexpr int kDatabaseCalls = 32;  // at the same time

  // `is_remote`: each call waits for another machine.
  explicit Executors(bool is_remote) : partition_(is_remote ? kDatabaseCalls : 8) {
    if (is_remote) database_.emplace(8);
  }

  // The pool of an executor, except Executor::Connection. That of Executor::Database is for what blocks in its calls,
  // as the steps of a connect do; only a remote store has it.
  boost::asio::thread_pool& of(Executor executor) {
    if (executor == Executor::Control) return control_;
    if (executor == Executor::Database) return *database_;
    return executor == Executor::Table ? table_ : partition_;
  }

  // Waits for all running and queued work.
  void join() {
    control_.join();
    partition_.join();
    table_.join();
    if (database_) database_->join();  // last: it runs parts of the calls on the others
  }

 private:
  boost::asio::thread_pool control_{2};
  boost::asio::thread_pool partition_;
  boost::asio::thread_pool table_{16};  // the number of slow scans that run at the same time
  std::optional<boost::asio::thread_pool> database_;
};

}  // namespace rocktable
