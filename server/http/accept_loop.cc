#include "server/http/accept_loop.h"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/steady_timer.hpp>
#include <utility>

#include "server/http/await.h"

namespace rocktable {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;

asio::awaitable<void> accept_all(tcp::acceptor& acceptor, std::chrono::milliseconds pause,
                                 std::function<ConnectionTaker()> next) {
  asio::steady_timer timer(acceptor.get_executor());
  while (acceptor.is_open()) {
    const ConnectionTaker taker = next();
    if (taker.context != nullptr) {
      auto [error, socket] = co_await acceptor.async_accept(*taker.context, kAwait);
      if (!error) taker.take(std::move(socket));
      if (!error || error == asio::error::operation_aborted) continue;
    }
    timer.expires_after(pause);
    co_await timer.async_wait(kAwait);
  }
}

}  // namespace

void start_accepting(asio::io_context& context, tcp::acceptor& acceptor, std::chrono::milliseconds pause,
                     std::function<ConnectionTaker()> next) {
  asio::co_spawn(context, accept_all(acceptor, pause, std::move(next)), asio::detached);
}

}  // namespace rocktable
