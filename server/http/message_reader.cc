#include "server/http/message_reader.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <boost/asio/error.hpp>
#include <boost/beast/core/read_size.hpp>
#include <boost/beast/http/error.hpp>

#include "server/limits/memory_budget.h"

namespace rocktable {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;

constexpr std::size_t kMaxFramingBytes = 1 << 20;  // of a chunked body: sizes, extensions, trailers

// Warns once: a client that mixes the protocols up does so with each connection.
void warn_of_tls() {
  [[maybe_unused]] static const bool kWarned = [] {
    spdlog::warn(
        "a client speaks HTTPS, and this endpoint HTTP: use http:// in the endpoint or connection string, or "
        "start with --tls auto");
    return true;
  }();
}

}  // namespace

MessageReader::MessageReader(RequestBuffers& received, beast::flat_buffer& buffer)
    : parser_(received), buffer_(buffer) {
  parser_.header_limit(kMaxHeaderBytes);
  parser_.body_limit(kMaxBodyBytes);
}

bool MessageReader::is_complete(Part part) const {
  return part == Part::Head ? parser_.is_header_done() : parser_.is_done();
}

MessageReader::Need MessageReader::advance(Part part, bool has_share) {
  parser_.eager(part == Part::Whole);
  while (!is_complete(part) && buffer_.size() > 0) {
    const std::size_t bytes = parser_.put(buffer_.data(), error_);
    buffer_.consume(bytes);
    bytes_ += bytes;
    if (bytes_ > kMaxHeaderBytes + 2 * parser_.body_bytes() + kMaxFramingBytes) error_ = http::error::body_limit;
    if (error_ == http::error::need_more) break;
    if (error_) return Need::Nothing;
  }
  error_ = {};
  if (is_complete(part)) {
    if (part == Part::Head) head_bytes_ = bytes_;
    return Need::Nothing;
  }
  if (buffer_.size() == buffer_.max_size()) {  // an endless chunk header or trailer
    error_ = http::error::header_limit;
    return Need::Nothing;
  }
  const bool is_large = bytes_ - head_bytes_ + buffer_.size() > kFreeBytes;
  const bool keeps = part == Part::Head || !parser_.drops_body();
  return is_large && keeps && !has_share ? Need::Room : Need::Bytes;
}

// Reads as much of a body as is announced, for each read is a turn through the kernel and the event loop.
beast::flat_buffer::mutable_buffers_type MessageReader::prepare(Part part, bool has_share) {
  const std::size_t allowed = has_share && !parser_.drops_body() ? kMaxReadBytes : kFreeBytes;
  const std::size_t limit = std::min(allowed, buffer_.max_size() - buffer_.size());
  const std::uint64_t announced = part == Part::Head ? 0 : parser_.announced_bytes();
  return buffer_.prepare(
      std::max(beast::read_size(buffer_, limit), static_cast<std::size_t>(std::min<std::uint64_t>(announced, limit))));
}

void MessageReader::commit(std::size_t bytes, const boost::system::error_code& error) {
  buffer_.commit(bytes);
  error_ = error;
  if (error == asio::error::eof)
    error_ = parser_.got_some() ? http::error::partial_message : http::error::end_of_stream;
}

void MessageReader::check_framing() { error_ = parser_.framing_error(); }

bool starts_tls(const beast::flat_buffer& bytes) {
  return bytes.size() > 0 && *static_cast<const unsigned char*>(bytes.data().data()) == kTlsHandshake;
}

std::optional<Error> refusal_of(const boost::system::error_code& error, const beast::flat_buffer& unread) {
  if (error == http::error::end_of_stream || error == http::error::partial_message) return std::nullopt;
  if (error == http::error::body_limit) return Error(ErrorCode::RequestBodyTooLarge);
  if (error == http::error::bad_target) return Error(ErrorCode::RequestUrlFailedToParse);
  if (error == boost::system::errc::not_supported) return Error(ErrorCode::NotImplemented);  // a transfer coding
  if (error == http::error::bad_method && starts_tls(unread)) {
    warn_of_tls();
    return Error(ErrorCode::InvalidInput,
                 "This endpoint speaks HTTP: use http:// in the endpoint or connection string.");
  }
  if (error.category() == http::make_error_code(http::error::bad_method).category())
    return Error(ErrorCode::InvalidHeaderValue);
  return std::nullopt;
}

std::string reason_of(const boost::system::error_code& error, bool is_refused) {
  if (is_refused) return "the request could not be read: " + error.message();
  if (error == asio::error::operation_aborted || error == asio::error::bad_descriptor)
    return "the server closed the connection before the request was whole: it took too long, or the server "
           "stops";
  return "the client went away before its request was whole";
}

}  // namespace rocktable
