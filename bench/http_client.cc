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

#include "odata/date_time.h"
#include "server/auth.h"
#include "server/protocol/shared_key.h"

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
    return {status_, received_.substr(0, body_), std::move(content_)};
  }

  void clear() { *this = AnswerReader(std::move(received_)); }

  AnswerReader() = default;

 private:
  explicit AnswerReader(std::string buffer) : received_(std::move(buffer)) { received_.clear(); }

  bool read_head() {
    const auto end = received_.find("\r\n\r\n");
    if (end == std::string::npos) return false;
    body_ = at_ = end + 4;
    const Answer head{0, received_.substr(0, body_), ""};
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
    co_await asio::async_write(side.socket, asio::buffer(run.next()), asio::use_awaitable);
    side.reader.clear();
    for (bool whole = false; !whole;) {
      const std::size_t count =
          co_await side.socket.async_read_some(asio::buffer(side.buffer), asio::use_awaitable);
      whole = side.reader.feed({side.buffer.data(), count});
    }
    const auto now = Clock::now();
    run.samples.microseconds.push_back(std::chrono::duration<double, std::micro>(now - start).count());
    require_success(side.reader.status(), side.reader.answer().body);
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

std::string request_bytes(std::string_view method, std::string_view resource, std::string_view body,
                          std::string_view content_type) {
  const std::string account(kDevelopmentAccount);
  const std::string target = "/" + account + std::string(resource);
  const std::string date = to_http_date(now());
  const std::string text = shared_key_lite_string_to_sign(account, {method, "", "", date, target});
  std::string out =
      std::string(method) + " " + target + " HTTP/1.1\r\nHost: 127.0.0.1\r\nx-ms-date: " + date +
      "\r\nAuthorization: SharedKeyLite " + account + ":" + AccountKey(kDevelopmentKey).sign(text) +
      "\r\nx-ms-version: 2019-02-02\r\nAccept: application/json;odata=nometadata\r\n" +
      "Prefer: return-no-content\r\n";
  if (!body.empty()) {
    out += "Content-Type: " + std::string(content_type) +
           "\r\nContent-Length: " + std::to_string(body.size()) + "\r\n";
  }
  return out + "\r\n" + std::string(body);
}

std::string percent_encoded(std::string_view text) {
  std::string out;
  for (const char c : text) {
    char hex[4];
    std::snprintf(hex, sizeof hex, "%%%02X", static_cast<unsigned char>(c));
    out += std::isalnum(static_cast<unsigned char>(c)) != 0 ? std::string(1, c) : hex;
  }
  return out;
}

std::string Answer::header(std::string_view name) const {
  const auto line = head.find("\r\n" + std::string(name) + ": ");
  if (line == std::string::npos) return "";
  const auto value = line + 2 + name.size() + 2;
  return head.substr(value, head.find(kLineEnd, value) - value);
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

Samples load(std::uint16_t port, int connections, std::chrono::milliseconds time,
             const std::function<std::string_view()>& next) {
  asio::io_context context(1);
  std::list<Side> sides;
  for (int i = 0; i < connections; ++i) sides.push_back({connected(context, port)});
  Run run{Clock::now() + time, next};
  const auto rethrow = [](const std::exception_ptr& fault) {
    if (fault) std::rethrow_exception(fault);
  };
  for (auto& side : sides) asio::co_spawn(context, drive(side, run), rethrow);
  context.run();
  return std::move(run.samples);
}

}  // namespace rocktable
