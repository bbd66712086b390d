// For programs without PostgreSQL's client library (STORE_POSTGRES=OFF): their store is on this machine.
#include <stdexcept>

#include "server/executors/store_calls.h"

namespace rocktable {

std::unique_ptr<StoreCalls> make_store_calls(boost::asio::io_context& /*context*/,
                                             boost::asio::thread_pool& /*blocking*/, std::size_t /*limit*/,
                                             StoreCalls::Clock::duration /*longest_wait*/) {
  throw std::logic_error("this program has no store on another machine");
}

}  // namespace rocktable
