#include "bench/http_client.h"

#include <array>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>
#include <charconv>
#include <exception>
#include <list>
#include <stdexcept>

#include "odata/text.h"

namespace rocktable {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using Clock = std::chrono::steady_clock;

constexpr std::string_view kLineEnd = "\r\n";

std::size_t number_of(std::string_view text, int base) {
  std::size_t out = 0;
  std::from_chars(text.data(), text.data() + text.size(), out, base);
  return out;
}

// Takes an answer apart while it comes in.
class AnswerReader {
 public:
  // Whether the answer is whole.
  bool feed(std::string_view bytes) {
    received_ += bytes;
    if (body_ == 0 && !read_head()) return false;
    return chunked_ ? read_chunks() : received_.size() >= body_ + length_;
  }

  int status() const { return status_; }

  Answer answer() {
    if (!chunked_) content_ = received_.substr(body_, length_);
    return {status_, received_.substr(0, body_), std::move(content_), received_};
  }

  void clear() { *this = AnswerReader(std::move(received_)); }

  AnswerReader() = default;

 private:
  explicit AnswerReader(std::string buffer) : received_(std::move(buffer)) { received_.clear(); }

  bool read_head() {
    const auto end = received_.find("\r\n\r\n");
    if (end == std::string::npos) return false;
    body_ = at_ = end + 4;
    const Answer head{0, received_.substr(0, body_), "", ""};
    status_ = static_cast<int>(number_of(received_.substr(9, 3), 10));
    chunked_ = !head.header("Transfer-Encoding").empty();
    length_ = number_of(head.header("Content-Length"), 10);
    return true;
  }

  bool read_chunks() {
    for (;;) {
      const auto line = received_.find(kLineEnd, at_);
      if (line == std::string::npos) return false;
      const std::size_t size = number_of(std::string_view(received_).substr(at_, line - at_), 16);
      const std::size_t end = line + 2 + size + 2;
      if (received_.size() < end) return false;
      if (size == 0) return true;
      content_.append(received_, line + 2, size);
      at_ = end;
    }
  }

  std::string received_;
  std::string content_;
  std::size_t body_ = 0, at_ = 0, length_ = 0;
  bool chunked_ = false;
  int status_ = 0;
};

void require_success(int status, const std::string& body) {
  if (status >= 400)
    throw std::runtime_error("the server answered " + std::to_string(status) + ": " + body.substr(0, 300));
}

struct Side {
  tcp::socket socket;
  AnswerReader reader{};
  std::array<char, 65536> buffer{};
};

struct Run {
  Clock::time_point end;
  const std::function<std::string_view()>& next;
  Samples samples{};
};

asio::awaitable<void> drive(Side& side, Run& run) {
  for (auto start = Clock::now(); start < run.end;) {
    const std::string_view request = run.next();
    if (request.empty()) co_return;
    co_await asio::async_write(side.socket, asio::buffer(request), asio::use_awaitable);
    side.reader.clear();
    for (bool whole = false; !whole;) {
      const std::size_t count =
          co_await side.socket.async_read_some(asio::buffer(side.buffer), asio::use_awaitable);
      whole = side.reader.feed({side.buffer.data(), count});
    }
    const auto now = Clock::now();
    run.samples.microseconds.push_back(std::chrono::duration<double, std::micro>(now - start).count());
    if (side.reader.status() >= 400) require_success(side.reader.status(), side.reader.answer().body);
    start = now;
  }
}

tcp::socket connected(asio::io_context& context, std::uint16_t port) {
  tcp::socket socket(context);
  socket.connect({asio::ip::address_v4::loopback(), port});
  socket.set_option(tcp::no_delay(true));
  return socket;
}

}  // namespace

std::string Answer::header(std::string_view name) const {
  for (std::size_t line = head.find(kLineEnd); line != std::string::npos;
       line = head.find(kLineEnd, line + 2)) {
    const auto field = std::string_view(head).substr(line + 2);
    if (!equals_ignoring_case(field.substr(0, name.size()), name) ||
        !field.substr(name.size()).starts_with(": "))
      continue;
    const auto value = field.substr(name.size() + 2);
    return std::string(value.substr(0, value.find(kLineEnd)));
  }
  return "";
}

HttpClient::HttpClient(std::uint16_t port) : context_(1), socket_(connected(context_, port)) {}

Answer HttpClient::exchange(std::string_view request) {
  asio::write(socket_, asio::buffer(request));
  AnswerReader reader;
  std::array<char, 65536> buffer;
  while (!reader.feed({buffer.data(), socket_.read_some(asio::buffer(buffer))})) {
  }
  Answer answer = reader.answer();
  require_success(answer.status, answer.body);
  return answer;
}

LoadResult load(std::uint16_t port, int connections, std::chrono::milliseconds time,
                const std::function<std::string_view()>& next) {
  asio::io_context context(1);
  std::list<Side> sides;
  for (int i = 0; i < connections; ++i) sides.push_back({connected(context, port)});
  const auto start = Clock::now();
  Run run{start + time, next};
  const auto rethrow = [](const std::exception_ptr& fault) {
    if (fault) std::rethrow_exception(fault);
  };
  for (auto& side : sides) asio::co_spawn(context, drive(side, run), rethrow);
  context.run();
  return {std::move(run.samples), std::chrono::duration<double>(Clock::now() - start).count()};
}

}  // namespace rocktable
