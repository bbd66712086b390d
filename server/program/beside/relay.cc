#include "server/program/beside/relay.h"

#include <spdlog/spdlog.h>

#include <boost/asio/buffer.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/connect.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/write.hpp>
#include <chrono>
#include <set>
#include <thread>
#include <vector>

#include "base/printable.h"
#include "server/http/accept_loop.h"
#include "server/http/await.h"

namespace rocktable {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using std::chrono::steady_clock;

constexpr std::size_t kBufferBytes = 64 << 10;
constexpr std::size_t kMaxRelayed = 256;
constexpr std::chrono::seconds kConnectTimeout{10};
constexpr std::chrono::seconds kHalfOpenTimeout{60};
constexpr std::chrono::seconds kLingerTimeout{2};
constexpr std::chrono::seconds kRelaySweep{1};
constexpr std::chrono::milliseconds kRelayBackOff{20};

// One connection: two sockets, and the time at which a sweep ends it.
struct Relayed {
  explicit Relayed(tcp::socket connected) : client(std::move(connected)), upstream(client.get_executor()) {}

  tcp::socket client, upstream;
  steady_clock::time_point end = steady_clock::time_point::max();
  bool is_connecting = true;  // to the upstream
  bool is_half_open = false;

  // While the upstream does not accept, the client still gets an answer.
  void end_now() {
    if (!is_connecting) return close();
    boost::system::error_code ignored;
    upstream.close(ignored);
  }

  void close() {
    boost::system::error_code ignored;
    client.close(ignored);
    upstream.close(ignored);
  }
};

using RelayedPtr = std::shared_ptr<Relayed>;

// Copies until `from` ends or a side fails. The end is passed on, so that the other direction may go on.
asio::awaitable<void> copy(RelayedPtr relayed, tcp::socket& from, tcp::socket& to) {
  std::vector<char> bytes(kBufferBytes);
  boost::system::error_code ignored;
  for (;;) {
    const auto [read_error, count] = co_await from.async_read_some(asio::buffer(bytes), kAwait);
    if (read_error == asio::error::eof) break;
    if (read_error) co_return relayed->close();
    const auto [write_error, written] =
        co_await asio::async_write(to, asio::buffer(std::string_view(bytes.data(), count)), kAwait);
    if (write_error) co_return relayed->close();
    if (relayed->is_half_open) relayed->end = steady_clock::now() + kHalfOpenTimeout;
  }
  if (relayed->is_half_open) co_return relayed->close();  // both directions have ended
  to.shutdown(tcp::socket::shutdown_send, ignored);
  relayed->is_half_open = true;
  relayed->end = steady_clock::now() + kHalfOpenTimeout;
}

std::string unavailable(const std::string& sentence) {
  const std::string body = sentence + "\n";
  return "HTTP/1.1 503 Service Unavailable\r\nContent-Type: text/plain\r\nConnection: close\r\nContent-Length: " +
         std::to_string(body.size()) + "\r\n\r\n" + body;
}

void set_up(tcp::socket& socket) {
  boost::system::error_code ignored;
  socket.set_option(tcp::no_delay(true), ignored);
  socket.set_option(asio::socket_base::keep_alive(true), ignored);
}

const char* service_name(StorageService service) {
  return service == StorageService::Blob ? "blob" : service == StorageService::Queue ? "queue" : "table";
}

}  // namespace

class Relay::Impl {
 public:
  Impl(const ListenAddress& where, HttpUrl upstream)
      : service_(where.service), upstream_(std::move(upstream)), acceptors_(open_acceptors(context_, where)) {
    for (auto& acceptor : acceptors_) start_accepting(context_, acceptor, kRelayBackOff, [this] { return next(); });
    asio::co_spawn(context_, sweep(), asio::detached);
  }

  ~Impl() {
    context_.stop();
    if (thread_.joinable()) thread_.join();
  }

  void start() {
    thread_ = std::thread([this] { run(); });
  }

  tcp::endpoint endpoint() const { return acceptors_.front().local_endpoint(); }

 private:
  // An uncaught exception (out of memory) ends its connection, not the relay.
  void run() {
    for (;;) {
      try {
        context_.run();
        return;
      } catch (const std::exception& failure) {
        spdlog::error("a relayed connection failed: {}", failure.what());
      }
    }
  }

  ConnectionTaker next() {
    if (relayed_.size() >= kMaxRelayed) return {};
    return {&context_, [this](tcp::socket socket) {
              const auto relayed = std::make_shared<Relayed>(std::move(socket));
              relayed_.insert(relayed);
              asio::co_spawn(context_, serve(relayed),
                             [this, relayed](const std::exception_ptr&) { relayed_.erase(relayed); });
            }};
  }

  asio::awaitable<void> serve(RelayedPtr relayed) {
    relayed->end = steady_clock::now() + kConnectTimeout;
    const boost::system::error_code error = co_await connect(*relayed);
    relayed->is_connecting = false;
    tell(error);
    if (error) {
      co_await refuse(*relayed, error);
      relayed->close();
      co_return;
    }
    relayed->end = steady_clock::time_point::max();
    set_up(relayed->client);
    set_up(relayed->upstream);
    // This coroutine, and so its place among kMaxRelayed, lasts until both directions have ended.
    asio::steady_timer answered(context_, steady_clock::time_point::max());
    bool has_ended = false;
    asio::co_spawn(context_, copy(relayed, relayed->upstream, relayed->client),
                   [&answered, &has_ended](const std::exception_ptr&) {
                     has_ended = true;
                     answered.cancel();
                   });
    co_await copy(relayed, relayed->client, relayed->upstream);
    if (!has_ended) co_await answered.async_wait(kAwait);
    relayed->close();
  }

  asio::awaitable<boost::system::error_code> connect(Relayed& relayed) {
    tcp::resolver resolver(context_);
    const auto [unknown, endpoints] =
        co_await resolver.async_resolve(upstream_.host, std::to_string(upstream_.port), kAwait);
    if (unknown) co_return unknown;
    const auto [error, endpoint] = co_await asio::async_connect(relayed.upstream, endpoints, kAwait);
    if (error == asio::error::operation_aborted) co_return asio::error::timed_out;  // by the sweep
    co_return error;
  }

  std::string sentence(const boost::system::error_code& error) const {
    return std::string("the ") + service_name(service_) + " upstream " + upstream_.origin() +
           " cannot be reached: " + error.message();
  }

  // Tells when the upstream is lost and when it is back.
  void tell(const boost::system::error_code& error) {
    if (static_cast<bool>(error) == is_lost_) return;
    is_lost_ = static_cast<bool>(error);
    if (is_lost_) {
      spdlog::warn("{}", printable(sentence(error)));
    } else {
      spdlog::info("the {} upstream {} answers again", service_name(service_), upstream_.origin());
    }
  }

  // Explains the failure, and lets the client read that: a reset, because its request is not read, would discard it.
  asio::awaitable<void> refuse(Relayed& relayed, const boost::system::error_code& error) {
    if (upstream_.secure || !relayed.client.is_open()) co_return;  // the client expects TLS
    relayed.end = steady_clock::now() + kLingerTimeout;
    const std::string text = unavailable("rocktable: " + sentence(error));
    co_await asio::async_write(relayed.client, asio::buffer(text), kAwait);
    boost::system::error_code ignored;
    relayed.client.shutdown(tcp::socket::shutdown_send, ignored);
    std::vector<char> bytes(kBufferBytes);
    for (;;) {
      const auto [ended, count] = co_await relayed.client.async_read_some(asio::buffer(bytes), kAwait);
      if (ended) co_return;
    }
  }

  // Ends what waits for too long.
  asio::awaitable<void> sweep() {
    asio::steady_timer timer(context_);
    for (;;) {
      timer.expires_after(kRelaySweep);
      co_await timer.async_wait(kAwait);
      const auto now = steady_clock::now();
      for (const auto& relayed : relayed_)
        if (now >= relayed->end) relayed->end_now();
    }
  }

  StorageService service_;
  HttpUrl upstream_;
  asio::io_context context_{1};
  std::vector<tcp::acceptor> acceptors_;
  std::set<RelayedPtr> relayed_;
  bool is_lost_ = false;
  std::thread thread_;
};

Relay::Relay(const ListenAddress& where, const HttpUrl& upstream)
    : impl_(std::make_unique<Impl>(where, upstream)),
      address_(address_in_urls(impl_->endpoint().address())),
      port_(impl_->endpoint().port()) {
  impl_->start();
}

Relay::~Relay() = default;

}  // namespace rocktable
