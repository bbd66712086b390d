// The thread pools of the executors: no kind of work waits for the threads of another.
#include "server/executors/executors.h"

#include <doctest/doctest.h>

#include <array>
#include <boost/asio/post.hpp>
#include <future>

namespace rocktable::TEST_FILE {
namespace {

namespace asio = boost::asio;

// Whether work of `executor` begins while all threads of `busy` wait.
bool begins(Executor executor, Executor busy) {
  Executors executors(true);
  std::promise<void> over;
  const std::shared_future<void> is_over = over.get_future().share();
  for (int i = 0; i < 2 * Executors::kDatabaseCalls; ++i) asio::post(executors.of(busy), [is_over] { is_over.wait(); });
  std::promise<void> begun;
  asio::post(executors.of(executor), [&] { begun.set_value(); });
  const bool has_begun = begun.get_future().wait_for(std::chrono::seconds(20)) == std::future_status::ready;
  over.set_value();
  executors.join();
  return has_begun;
}

TEST_CASE("no executor waits for the threads of another") {
  constexpr std::array kPools = {Executor::Control, Executor::Partition, Executor::Table, Executor::Database};
  for (const Executor executor : kPools)
    for (const Executor busy : kPools)
      if (executor != busy) CHECK(begins(executor, busy));
}

}  // namespace
}  // namespace rocktable::TEST_FILE
