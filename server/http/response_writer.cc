#include "server/http/response_writer.h"

#include <algorithm>
#include <array>
#include <boost/asio/write.hpp>
#include <tuple>

#include "server/http/await.h"

namespace rocktable {
namespace {

namespace asio = boost::asio;

constexpr std::size_t kMaxWrittenBytes = 64 << 10;
constexpr std::size_t kMaxJoinedBytes = 64 << 10;  // a longer body is not copied behind its head
constexpr std::chrono::milliseconds kStreamInterval{100};
constexpr std::size_t kSlowPiecesPerSecond = 20;

// Writes of another type of buffers, as those of a std::string, would be compiled a second time: 30 KB with TLS.
asio::const_buffers_1 bytes_of(std::string_view bytes) { return asio::buffer(bytes); }

}  // namespace

asio::awaitable<bool> ResponseWriter::write(const Response& response, const ResponseOptions& options) {
  machine_.enter(ConnectionState::Writing);
  outgoing_.clear();
  append_response_head(outgoing_, response, options);
  const std::string_view body = response.sends_body ? std::string_view(response.body) : "";
  const std::string_view tail = response_tail(response, options);
  boost::system::error_code error;
  std::size_t bytes = 0;
  const std::size_t rate = response.delivery ? response.delivery->bytes_per_second : 0;
  if (rate > 0) {
    std::tie(error, bytes) = co_await asio::async_write(stream_, bytes_of(outgoing_), kAwait);
    bool is_written = !error;
    if (is_written) is_written = co_await write_at_rate(body, rate);
    if (is_written) std::tie(error, bytes) = co_await asio::async_write(stream_, bytes_of(tail), kAwait);
    if (!is_written) error = asio::error::operation_aborted;
  } else if (body.size() <= kMaxJoinedBytes) {  // one buffer and one TLS record cost less than two without the copy
    outgoing_.append(body).append(tail);
    std::tie(error, bytes) = co_await asio::async_write(stream_, bytes_of(outgoing_), kAwait);
  } else {
    const std::array<asio::const_buffer, 3> buffers{bytes_of(outgoing_), bytes_of(body), bytes_of(tail)};
    const auto next = [this](const boost::system::error_code& failure, std::size_t) {
      machine_.note_progress();
      return failure ? 0 : kMaxWrittenBytes;
    };
    std::tie(error, bytes) = co_await asio::async_write(stream_, buffers, next, kAwait);
  }
  if (trace_) trace_->end_with_response(outgoing_, body, response.error, machine_.since(), !error);
  co_return !error;
}

// Writes a piece whenever its time has come. A connection that waits holds no thread. Each piece has the time limit of
// an answer, so that a client that does not read loses its connection; a stop of the server ends it at once. Returns
// whether all of it was written.
asio::awaitable<bool> ResponseWriter::write_at_rate(std::string_view bytes, std::size_t bytes_per_second) {
  using Clock = ConnectionMachine::Clock;
  const auto begin = Clock::now();
  const std::size_t piece = std::clamp<std::size_t>(bytes_per_second / kSlowPiecesPerSecond, 1, kMaxWrittenBytes);
  for (std::size_t sent = 0; sent < bytes.size();) {
    const std::string_view part = bytes.substr(sent, piece);
    sent += part.size();
    const auto due = begin + std::chrono::microseconds(sent * 1'000'000 / bytes_per_second);
    const bool is_there =
        co_await waits_.for_time(std::chrono::duration_cast<std::chrono::microseconds>(due - Clock::now()));
    if (!is_there || machine_.must_end()) co_return false;
    machine_.enter(ConnectionState::Streaming);
    const auto [error, count] = co_await asio::async_write(stream_, bytes_of(part), kAwait);
    if (error) co_return false;
  }
  co_return true;
}

asio::awaitable<void> ResponseWriter::write_stream(BodyStream& stream, const ResponseOptions& options) {
  if (options.http_1_0) co_return;
  while (!machine_.must_end() && !place_.must_leave()) {
    const std::string part = stream.next();
    machine_.enter(ConnectionState::Streaming);  // the timeout is that of one part
    if (!part.empty()) {
      outgoing_.clear();
      append_chunk(outgoing_, part);
      const auto [error, bytes] = co_await asio::async_write(stream_, bytes_of(outgoing_), kAwait);
      if (error) co_return;
    }
    const bool is_there = co_await waits_.for_time(kStreamInterval);
    if (!is_there) co_return;
  }
  co_await asio::async_write(stream_, bytes_of(kLastChunk), kAwait);
}

asio::awaitable<void> ResponseWriter::write_beginning(const Response& response, const ResponseOptions& options) {
  machine_.enter(ConnectionState::Writing);
  outgoing_.clear();
  const Delivery& delivery = *response.delivery;
  if (delivery.ending == Delivery::Ending::Cut) {
    append_response_head(outgoing_, response, options);
    const std::size_t rate = delivery.bytes_per_second;
    const std::size_t head = std::min(outgoing_.size(), delivery.cut_after);
    outgoing_.append(response.sends_body ? std::string_view(response.body) : "");
    outgoing_.append(response_tail(response, options));
    outgoing_.resize(std::min(outgoing_.size(), delivery.cut_after));
    const std::size_t at_once = rate > 0 ? head : outgoing_.size();
    const auto [error, bytes] =
        co_await asio::async_write(stream_, bytes_of(std::string_view(outgoing_).substr(0, at_once)), kAwait);
    if (!error && at_once < outgoing_.size()) co_await write_at_rate(std::string_view(outgoing_).substr(at_once), rate);
  }
  if (trace_) trace_->end_without_response("the fault rule \"" + delivery.changed_by + "\" ended the connection");
  if (delivery.ending == Delivery::Ending::Reset) {
    boost::system::error_code ignored;
    stream_.socket().set_option(asio::socket_base::linger(true, 0), ignored);
    stream_.close();  // sends RST
  }
}

}  // namespace rocktable
