#include "server/http/server.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <atomic>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/thread_pool.hpp>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <thread>
#include <vector>

#include "base/platform/memory.h"
#include "base/platform/sockets.h"
#include "base/platform/stop_requests.h"
#include "server/executors/store_calls.h"
#include "server/http/accept_loop.h"
#include "server/http/await.h"
#include "server/http/connection.h"
#include "server/http/stop_wait.h"

namespace rocktable {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;

constexpr std::chrono::seconds kSweepInterval{1};
constexpr std::chrono::milliseconds kStoreCallSweepInterval{200};  // who waits for a database is told in time
constexpr std::chrono::seconds kStopGrace{6};                      // a query has five
constexpr std::chrono::seconds kStopStoreGrace{2};  // for a store on another machine that may not answer any more
constexpr std::chrono::milliseconds kStopPoll{10};
constexpr std::chrono::milliseconds kAcceptBackOff{50};
constexpr std::chrono::seconds kTrimInterval{5};

std::size_t core_count() { return std::max(1u, std::thread::hardware_concurrency()); }

// The number of connections that the limit of open files allows beside the store's files.
std::size_t spare_descriptors() {
  constexpr std::size_t kOthers = 512;
  const std::size_t limit = max_open_files();
  return std::max(limit / 4, limit - std::min(limit, kOthers));
}

// One I/O thread and its connections, which stay on it.
class Worker {
 public:
  asio::io_context& context() { return context_; }

  // Runs until the context is stopped. An uncaught exception (out of memory) ends its connection, not the process.
  void run() {
    for (;;) {
      try {
        context_.run();
        return;
      } catch (const std::exception& failure) {
        spdlog::error("a connection failed: {}", failure.what());
      }
    }
  }

  void start() {
    asio::co_spawn(context_, repeat(kSweepInterval, [this] { sweep_connections(); }), asio::detached);
    if (store_calls_)
      asio::co_spawn(context_,
                     repeat(kStoreCallSweepInterval, [this] { store_calls_->sweep(std::chrono::steady_clock::now()); }),
                     asio::detached);
  }

  // For a store that waits for another machine; before start(). As make_store_calls().
  void begin_store_calls(asio::thread_pool& blocking, std::size_t limit, std::chrono::seconds longest_wait) {
    store_calls_ = make_store_calls(context_, blocking, limit, longest_wait);
  }

  void adopt(tcp::socket socket, StorageService service, const ConnectionContext& context) {
    ++count_;
    // Its place is taken at once, because the worker may be busy.
    auto place = std::make_unique<ConnectionPlaces::Holder>(context.places);
    asio::co_spawn(context_, serve(std::move(socket), std::move(place), service, context),
                   [this](const std::exception_ptr&) { --count_; });
  }

  // Ends what waits for too long without waiting for the next sweep.
  void sweep_soon() {
    asio::post(context_, [this] { sweep_connections(); });
  }

  // Ends idle connections now, and the others after their current response.
  void finish() {
    asio::post(context_, [this] {
      finishing_ = true;
      for (auto* connection : connections_) connection->finish();
    });
  }

  void close_all() {
    asio::post(context_, [this] {
      for (auto* connection : connections_) connection->close();
    });
  }

  bool is_empty() const { return count_ == 0; }

 private:
  asio::awaitable<void> serve(tcp::socket socket, std::unique_ptr<const ConnectionPlaces::Holder> place,
                              StorageService service, const ConnectionContext& context) {
    Connection connection(std::move(socket), *place, service, context, store_calls_.get());
    const Registration registration(*this, connection);
    try {
      co_await connection.serve();
    } catch (const std::exception&) {
      connection.close();  // a failure (out of memory) ends only this connection
    }
  }

  // Registers a connection with the worker while it is served.
  class Registration {
   public:
    Registration(Worker& worker, Connection& connection) : worker_(worker), connection_(connection) {
      worker_.connections_.insert(&connection_);
      if (worker_.finishing_) connection_.finish();
    }
    ~Registration() { worker_.connections_.erase(&connection_); }
    Registration(const Registration&) = delete;
    Registration& operator=(const Registration&) = delete;

   private:
    Worker& worker_;
    Connection& connection_;
  };

  asio::awaitable<void> repeat(std::chrono::milliseconds interval, std::function<void()> work) {
    asio::steady_timer timer(context_);
    for (;;) {
      timer.expires_after(interval);
      const auto [error] = co_await timer.async_wait(kAwait);
      if (error) co_return;
      work();
    }
  }

  void sweep_connections() {
    const auto now = std::chrono::steady_clock::now();
    for (auto* connection : connections_) connection->sweep(now);
  }

  asio::io_context context_{1};
  std::unique_ptr<StoreCalls> store_calls_;  // null: the store does not wait
  std::set<Connection*> connections_;
  std::atomic<std::size_t> count_ = 0;
  bool finishing_ = false;
};

// One service and the addresses that it listens on.
struct Listener {
  StorageService service;
  std::vector<tcp::acceptor> acceptors;

  std::uint16_t port() const { return acceptors.front().local_endpoint().port(); }
};

}  // namespace

class Server::Impl {
 public:
  explicit Impl(const ServerOptions& options) : options_(options), stop_wait_(main().context(), stop_requests_) {
    for (const auto& where : options_.listen)
      listeners_.push_back({where.service, open_acceptors(main().context(), where)});
  }

  std::uint16_t port(std::size_t place) const { return listeners_.at(place).port(); }

  std::string address(std::size_t place) const {
    return address_in_urls(listeners_.at(place).acceptors.front().local_endpoint().address());
  }

  std::vector<asio::ip::address> addresses() const {
    std::vector<asio::ip::address> out;
    for (const auto& acceptor : listeners_.front().acceptors) out.push_back(acceptor.local_endpoint().address());
    return out;
  }

  void run(Service& service, AccessLog& access_log, Trace* trace);
  bool is_stop_asked() const { return stop_requests_.is_asked(); }

  void stop() {
    asio::post(main().context(), [this] { begin_stop(); });
  }

 private:
  Worker& main() { return workers_.front(); }

  ConnectionTaker next_taker(StorageService service, const ConnectionContext& context);
  asio::awaitable<void> trim(asio::thread_pool& pool);
  asio::awaitable<void> drain();
  std::size_t max_connections() const;
  void begin_stop();
  asio::awaitable<void> await_end();

  ServerOptions options_;
  std::vector<Worker> workers_ = std::vector<Worker>(core_count());
  std::vector<Listener> listeners_;
  StopRequests stop_requests_;
  StopWait stop_wait_;
  std::size_t next_worker_ = 0;
  Service* service_ = nullptr;  // while it runs
  bool stopping_ = false;
  std::atomic<bool> has_freed_ = false;
  std::atomic<bool> is_draining_ = false;
};

// --- Serving -----------------------------------------------------------------------------------------------

namespace {

std::vector<RequestEventSink*> sinks_of(Service& service, AccessLog& access_log) {
  TableService& tables = service.tables();
  std::vector<RequestEventSink*> out{&tables.statistics, &tables.metrics, &tables.insight, &tables.permissions,
                                     &access_log};
  if (tables.recent_requests.is_on()) out.push_back(&tables.recent_requests);
  return out;
}

}  // namespace

void Server::Impl::run(Service& service, AccessLog& access_log, Trace* trace) {
  keep_heaps_small();
  Executors executors(service.waits_for_store());
  ConnectionBudgets budgets(options_.limits);
  ConnectionPlaces places(max_connections());
  const ConnectionContext context{.service = service,
                                  .executors = executors,
                                  .event_sinks = sinks_of(service, access_log),
                                  .trace = trace,
                                  .timeouts = timeouts_of(options_.limits),
                                  .tls = options_.tls.get(),
                                  .budgets = budgets,
                                  .places = places,
                                  .has_freed = has_freed_,
                                  .is_draining = is_draining_};
  service_ = &service;
  stop_wait_.start([this] { asio::co_spawn(main().context(), drain(), asio::detached); });
  for (auto& listener : listeners_)
    for (auto& acceptor : listener.acceptors)
      start_accepting(main().context(), acceptor, kAcceptBackOff,
                      [this, &listener, &context] { return next_taker(listener.service, context); });
  asio::co_spawn(main().context(), trim(executors.of(Executor::Control)), asio::detached);
  if (service.waits_for_store()) {
    const std::size_t limit = std::max<std::size_t>(1, Executors::kDatabaseCalls / workers_.size());
    for (auto& worker : workers_)
      worker.begin_store_calls(executors.of(Executor::Database), limit, options_.store_timeout);
  }
  for (auto& worker : workers_) worker.start();

  std::vector<std::jthread> threads;
  for (auto& worker : workers_)
    if (&worker != &main()) threads.emplace_back([&worker] { worker.run(); });
  main().run();
  threads.clear();
  executors.join();
}

ConnectionTaker Server::Impl::next_taker(StorageService service, const ConnectionContext& context) {
  if (context.places.is_full()) {  // while it waits in the listen queue, the store keeps its descriptors
    context.places.make_room();
    for (auto& one : workers_) one.sweep_soon();
    return {};
  }
  Worker& worker = workers_[next_worker_++ % workers_.size()];
  return {&worker.context(),
          [&worker, service, &context](tcp::socket socket) { worker.adopt(std::move(socket), service, context); }};
}

asio::awaitable<void> Server::Impl::trim(asio::thread_pool& pool) {
  asio::steady_timer timer(main().context());
  for (;;) {
    timer.expires_after(kTrimInterval);
    const auto [error] = co_await timer.async_wait(kAwait);
    if (error) co_return;
    if (has_freed_.exchange(false)) asio::post(pool, return_free_memory);
  }
}

std::size_t Server::Impl::max_connections() const {
  const std::size_t spare = spare_descriptors();
  const std::size_t limit = spare - std::min(spare - 1, ConnectionPlaces::kMaxGuests);
  return std::min(static_cast<std::size_t>(options_.limits.max_connections), limit);
}

// Then stops.
asio::awaitable<void> Server::Impl::drain() {
  if (options_.drain > options_.drain.zero()) {
    service_->begin_stop();
    is_draining_ = true;
    asio::steady_timer timer(main().context(), options_.drain);
    co_await timer.async_wait(kAwait);
  }
  begin_stop();
}

void Server::Impl::begin_stop() {
  if (stopping_) return;
  stopping_ = true;
  service_->begin_stop();
  boost::system::error_code ignored;
  stop_wait_.cancel();
  for (auto& listener : listeners_)
    for (auto& acceptor : listener.acceptors) acceptor.close(ignored);
  for (auto& worker : workers_) worker.finish();
  asio::co_spawn(main().context(), await_end(), asio::detached);
}

// Waits until the last connection has ended, then ends all threads.
asio::awaitable<void> Server::Impl::await_end() {
  asio::steady_timer timer(main().context());
  const auto begin = std::chrono::steady_clock::now();
  const auto is_empty = [](const Worker& worker) { return worker.is_empty(); };
  while (!std::all_of(workers_.begin(), workers_.end(), is_empty)) {
    const auto time = std::chrono::steady_clock::now() - begin;
    if (time >= kStopStoreGrace) service_->stop_waiting_for_store();
    if (time >= kStopGrace)
      for (auto& worker : workers_) worker.close_all();
    timer.expires_after(kStopPoll);
    co_await timer.async_wait(kAwait);
  }
  for (auto& worker : workers_) worker.context().stop();
}

// --- The interface -----------------------------------------------------------------------------------------

Server::Server(const ServerOptions& options) : impl_(std::make_unique<Impl>(options)) {}
Server::~Server() = default;

std::uint16_t Server::port(std::size_t place) const { return impl_->port(place); }
std::string Server::address(std::size_t place) const { return impl_->address(place); }
std::vector<asio::ip::address> Server::addresses() const { return impl_->addresses(); }
void Server::run(Service& service, AccessLog& access_log, Trace* trace) { impl_->run(service, access_log, trace); }
bool Server::is_stop_asked() const { return impl_->is_stop_asked(); }
void Server::stop() { impl_->stop(); }

}  // namespace rocktable
