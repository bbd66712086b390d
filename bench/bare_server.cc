// The cost of HTTP itself: a Beast server that reads requests as rocktable does, looks only at the method,
// and sends the same bytes each time, in one write.
//
//  bare_server PORT FOLDER THREADS    FOLDER has a file for each method, with the response as it is sent
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/string_body.hpp>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace {

namespace asio = boost::asio;
namespace http = boost::beast::http;
using asio::ip::tcp;

constexpr auto kAwait = asio::as_tuple(asio::use_awaitable);

using Answers = std::map<std::string, std::string, std::less<>>;  // by method

Answers read_answers(const std::filesystem::path& folder) {
  Answers out;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    std::ifstream file(entry.path(), std::ios::binary);
    out[entry.path().filename()] = {std::istreambuf_iterator<char>(file), {}};
  }
  return out;
}

asio::awaitable<void> serve(tcp::socket socket, const Answers& answers) {
  socket.set_option(tcp::no_delay(true));
  boost::beast::flat_buffer buffer;
  for (;;) {
    http::request_parser<http::string_body> parser;
    const auto [read_error, read] = co_await http::async_read(socket, buffer, parser, kAwait);
    if (read_error) co_return;
    const auto answer = answers.find(std::string_view(parser.get().method_string()));
    if (answer == answers.end()) co_return;
    const auto [write_error, written] = co_await asio::async_write(socket, asio::buffer(answer->second), kAwait);
    if (write_error) co_return;
  }
}

asio::awaitable<void> accept(tcp::acceptor& acceptor, std::vector<std::unique_ptr<asio::io_context>>& contexts,
                             const Answers& answers) {
  for (std::size_t next = 0;; ++next) {
    auto& context = *contexts[next % contexts.size()];
    auto [error, socket] = co_await acceptor.async_accept(context, kAwait);
    if (!error) asio::co_spawn(context, serve(std::move(socket), answers), asio::detached);
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) return 2;
  const Answers answers = read_answers(argv[2]);
  std::vector<std::unique_ptr<asio::io_context>> contexts;
  for (int i = 0; i < std::stoi(argv[3]); ++i) contexts.push_back(std::make_unique<asio::io_context>(1));
  const auto port = static_cast<std::uint16_t>(std::stoi(argv[1]));
  tcp::acceptor acceptor(*contexts.front(), {asio::ip::address_v4::loopback(), port});
  asio::co_spawn(*contexts.front(), accept(acceptor, contexts, answers), asio::detached);
  std::vector<asio::executor_work_guard<asio::io_context::executor_type>> work;
  std::vector<std::jthread> threads;
  for (auto& context : contexts) {
    work.push_back(asio::make_work_guard(*context));
    threads.emplace_back([&context] { context->run(); });
  }
}
