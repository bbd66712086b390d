// The thread pools of the lanes (service.h, Lane): one for each kind of slow work, so that no kind waits for the threads of
// another.
#pragma once

#include <boost/asio/thread_pool.hpp>

#include "server/service.h"

namespace rocktable {

class Lanes {
 public:
  static constexpr int kDatabaseCalls = 32;  // at the same time

  // `is_remote`: each call waits for another machine.
  explicit Lanes(bool is_remote) : partition_(is_remote ? kDatabaseCalls : 8) {}

  // The pool of a lane, except Lane::Connection. That of Lane::Database is for what blocks in its calls.
  boost::asio::thread_pool& of(Lane lane) {
    if (lane == Lane::Control) return control_;
    return lane == Lane::Table ? table_ : partition_;
  }

  // Waits for all running and queued work.
  void join() {
    control_.join();
    partition_.join();
    table_.join();
  }

 private:
  boost::asio::thread_pool control_{2};
  boost::asio::thread_pool partition_;
  boost::asio::thread_pool table_{16};  // the number of slow scans that run at the same time
};

}  // namespace rocktable
