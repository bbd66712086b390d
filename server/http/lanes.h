// The threads behind the connections' own: a pool for each kind of work that takes its time (service.h, Lane), so that
// one kind never waits for the threads of another.
#pragma once

#include <boost/asio/thread_pool.hpp>

#include "server/service.h"

namespace rocktable {

class Lanes {
 public:
  // Of a lane but the connection's own.
  boost::asio::thread_pool& of(Lane lane) {
    if (lane == Lane::Control) return control_;
    return lane == Lane::Table ? table_ : partition_;
  }

  // Waits for what is at work and in the queues.
  void join() {
    control_.join();
    partition_.join();
    table_.join();
  }

 private:
  boost::asio::thread_pool control_{2};
  boost::asio::thread_pool partition_{8};
  boost::asio::thread_pool table_{16};  // as many slow scans run side by side
};

}  // namespace rocktable
