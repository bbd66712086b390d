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

}  // namespace

asio::awaitable<bool> ResponseWriter::write(const Response& response, const ResponseOptions& options) {
  machine_.enter(ConnectionState::Writing);
  outgoing_.clear();
  append_response_head(outgoing_, response, options);
  const std::string_view body = response.sends_body ? std::string_view(response.body) : "";
  const std::string_view tail = response_tail(response, options);
  boost::system::error_code error;
  std::size_t bytes = 0;
  if (body.size() <= kMaxJoinedBytes) {  // one buffer and one TLS record cost less than two without the copy
    outgoing_.append(body).append(tail);
    std::tie(error, bytes) = co_await asio::async_write(stream_, asio::buffer(outgoing_), kAwait);
  } else {
    const std::array<asio::const_buffer, 3> buffers{asio::buffer(outgoing_), asio::buffer(body), asio::buffer(tail)};
    const auto next = [this](const boost::system::error_code& failure, std::size_t) {
      machine_.note_progress();
      return failure ? 0 : kMaxWrittenBytes;
    };
    std::tie(error, bytes) = co_await asio::async_write(stream_, buffers, next, kAwait);
  }
  if (trace_) trace_->end_with_response(outgoing_, body, response.error, machine_.since(), !error);
  co_return !error;
}

asio::awaitable<void> ResponseWriter::write_stream(BodyStream& stream, const ResponseOptions& options) {
  if (options.http_1_0) co_return;
  while (!machine_.must_end() && !place_.must_leave()) {
    const std::string part = stream.next();
    machine_.enter(ConnectionState::Streaming);  // the timeout is that of one part
    if (!part.empty()) {
      outgoing_.clear();
      append_chunk(outgoing_, part);
      const auto [error, bytes] = co_await asio::async_write(stream_, asio::buffer(outgoing_), kAwait);
      if (error) co_return;
    }
    const bool is_there = co_await waits_.for_time(kStreamInterval);
    if (!is_there) co_return;
  }
  co_await asio::async_write(stream_, asio::buffer(kLastChunk), kAwait);
}

asio::awaitable<void> ResponseWriter::write_beginning(const Response& response, const ResponseOptions& options) {
  machine_.enter(ConnectionState::Writing);
  outgoing_.clear();
  const Delivery& delivery = *response.delivery;
  if (delivery.ending == Delivery::Ending::Cut) {
    append_response_head(outgoing_, response, options);
    outgoing_.append(response.body).append(response_tail(response, options));
    outgoing_.resize(std::min(outgoing_.size(), delivery.cut_after));
    co_await asio::async_write(stream_, asio::buffer(outgoing_), kAwait);
  }
  if (trace_) trace_->end_without_response(delivery.changed_by + " ended the connection");
  if (delivery.ending == Delivery::Ending::Reset) {
    boost::system::error_code ignored;
    stream_.socket().set_option(asio::socket_base::linger(true, 0), ignored);
    stream_.close();  // sends RST
  }
}

}  // namespace rocktable
