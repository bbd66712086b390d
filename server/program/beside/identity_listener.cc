#include "server/program/beside/identity_listener.h"

#include <spdlog/spdlog.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/empty_body.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/status.hpp>
#include <chrono>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "server/http/accept_loop.h"
#include "server/http/acceptors.h"
#include "server/http/await.h"

namespace rocktable {
namespace {

namespace asio = boost::asio;
namespace http = boost::beast::http;
using asio::ip::tcp;

constexpr std::size_t kMaxIdentityClients = 64;
constexpr std::uint32_t kMaxIdentityHead = 16 << 10;
constexpr std::chrono::seconds kIdentityTimeout{10};
constexpr std::chrono::milliseconds kIdentityBackOff{20};

std::string_view view_of(boost::beast::string_view text) { return {text.data(), text.size()}; }

std::string response_to(const http::request<http::empty_body>& request, const IdentityListener::Answer& answer) {
  const IdentityAnswer answered = answer({.method = view_of(request.method_string()),
                                          .target = view_of(request.target()),
                                          .host = view_of(request[http::field::host]),
                                          .identity_header = view_of(request["X-IDENTITY-HEADER"]),
                                          .metadata = view_of(request["Metadata"]),
                                          .is_forwarded = request.count("X-Forwarded-For") > 0});
  const std::string_view reason = view_of(http::obsolete_reason(static_cast<http::status>(answered.status)));
  return "HTTP/1.1 " + std::to_string(answered.status) + ' ' + std::string(reason) +
         "\r\nContent-Type: application/json; charset=utf-8\r\nCache-Control: no-store\r\nConnection: close"
         "\r\nContent-Length: " +
         std::to_string(answered.body.size()) + "\r\n\r\n" + answered.body;
}

}  // namespace

class IdentityListener::Impl {
 public:
  Impl(std::uint16_t port, Answer answer)
      : answer_(std::move(answer)),
        acceptors_(open_acceptors(context_, {.service = StorageService::Table,
                                             .host = "127.0.0.1",
                                             .port = port,
                                             .advice = "--identityPort 0 picks a free one"})) {
    for (auto& acceptor : acceptors_) start_accepting(context_, acceptor, kIdentityBackOff, [this] { return next(); });
    thread_ = std::thread([this] { run(); });
  }

  ~Impl() {
    context_.stop();
    thread_.join();
  }

  std::uint16_t port() const { return acceptors_.front().local_endpoint().port(); }

 private:
  // An uncaught exception (out of memory) ends its connection only.
  void run() {
    for (;;) {
      try {
        context_.run();
        return;
      } catch (const std::exception& failure) {
        spdlog::error("a request for a token failed: {}", failure.what());
      }
    }
  }

  ConnectionTaker next() {
    if (clients_ >= kMaxIdentityClients) return {};
    return {&context_, [this](tcp::socket socket) {
              ++clients_;
              asio::co_spawn(context_, serve(std::move(socket)), [this](const std::exception_ptr&) { --clients_; });
            }};
  }

  asio::awaitable<void> serve(tcp::socket socket) {
    const auto client = std::make_shared<tcp::socket>(std::move(socket));
    asio::steady_timer end(context_, kIdentityTimeout);
    end.async_wait([client](const boost::system::error_code& cancelled) {
      boost::system::error_code ignored;
      if (!cancelled) client->close(ignored);
    });
    boost::beast::flat_buffer buffer(2 * kMaxIdentityHead);
    http::request_parser<http::empty_body> parser;
    parser.header_limit(kMaxIdentityHead);
    const auto [read_error, read] = co_await http::async_read(*client, buffer, parser, kAwait);
    if (read_error) co_return;  // also a body, which no request has
    const std::string response = response_to(parser.get(), answer_);
    co_await asio::async_write(*client, asio::buffer(response), kAwait);
    boost::system::error_code ignored;
    client->shutdown(tcp::socket::shutdown_send, ignored);
  }

  Answer answer_;
  asio::io_context context_{1};
  std::vector<tcp::acceptor> acceptors_;
  std::size_t clients_ = 0;
  std::thread thread_;
};

IdentityListener::IdentityListener(std::uint16_t port, Answer answer)
    : impl_(std::make_unique<Impl>(port, std::move(answer))), port_(impl_->port()) {}

IdentityListener::~IdentityListener() = default;

}  // namespace rocktable
