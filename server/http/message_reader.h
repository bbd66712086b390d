// Reads one request from a connection's buffer. Does no I/O: it says what it needs next, and is given bytes.
#pragma once

#include <boost/beast/core/flat_buffer.hpp>
#include <boost/system/error_code.hpp>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "odata/error.h"
#include "server/http/request_parser.h"

namespace rocktable {

inline constexpr std::uint32_t kMaxHeaderBytes = 256 << 10;  // SDKs send filters of many KiB in the request line
inline constexpr std::uint64_t kMaxBodyBytes = 4 << 20;      // the service's limit of a batch, and so of any request
inline constexpr std::size_t kMaxReadBytes = 64 << 10;       // at once

class MessageReader {
 public:
  enum class Part { Head, Whole };
  enum class Need {
    Nothing,  // the part is complete, or error() is set
    Bytes,
    Room,  // a share of the memory for large requests, before bytes
  };

  // Both must outlive the reader. `buffer` may hold the beginning of the request already, and holds that of the next
  // one afterwards.
  MessageReader(RequestBuffers& received, boost::beast::flat_buffer& buffer);

  // Parses what is in the buffer, up to the end of the part. `has_share`: of the memory for large requests.
  Need advance(Part part, bool has_share);

  // Room in the buffer for the next read. A connection without a share reads little at a time.
  boost::beast::flat_buffer::mutable_buffers_type prepare(Part part, bool has_share);

  // So many bytes were read, or reading failed.
  void commit(std::size_t bytes, const boost::system::error_code& error);

  // The head is complete: looks at how the request is framed. May set error().
  void check_framing();

  void fail(const boost::system::error_code& error) { error_ = error; }
  const boost::system::error_code& error() const { return error_; }

  // Whether bytes of the request have come.
  bool has_begun() const { return bytes_ > 0 || buffer_.size() > 0; }

  RequestParser& parser() { return parser_; }

 private:
  bool is_complete(Part part) const;

  RequestParser parser_;
  boost::beast::flat_buffer& buffer_;
  boost::system::error_code error_;
  std::size_t bytes_ = 0;       // parsed so far
  std::size_t head_bytes_ = 0;  // of them, once the head is complete
};

// Returns the error for a request that could not be read; nullopt if the client hung up. `unread` begins with the
// bytes that could not be read.
std::optional<Error> refusal_of(const boost::system::error_code& error, const boost::beast::flat_buffer& unread);

// Returns why a request is incomplete, as a sentence. `is_refused`: the response reports it, too.
std::string reason_of(const boost::system::error_code& error, bool is_refused);

// Returns whether these bytes begin a TLS handshake. No HTTP message begins like one.
inline constexpr unsigned char kTlsHandshake = 0x16;
bool starts_tls(const boost::beast::flat_buffer& bytes);

}  // namespace rocktable
