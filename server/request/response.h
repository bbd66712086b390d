// One HTTP response: status, header lines, body.
#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/date_time.h"
#include "odata/error.h"
#include "server/request/body_stream.h"

namespace rocktable {

// Appends a header line with its CRLF.
void append_field(std::string& fields, std::string_view name, std::string_view value);

void append_etag_field(std::string& fields, DateTime timestamp);

// What the connection does to a response on its way, if not simply sending it.
struct Delivery {
  enum class Ending {
    Complete,
    Cut,    // the connection ends after `cut_after` bytes
    Close,  // it ends without a response
    Reset,  // likewise, by a TCP RST
  };
  Ending ending = Ending::Complete;
  std::size_t cut_after = 0;
  std::chrono::microseconds delay{};  // to wait before it is sent
  std::size_t bytes_per_second = 0;   // of its body; 0: as fast as the client reads
  std::string changed_by;             // the name of what asked for this; empty: it is only delayed
};

struct Response {
  enum class Framing { Length, Chunked };

  int status = 200;
  std::string reason;  // empty: the standard reason phrase
  std::string fields;  // header lines, each with its CRLF; no framing, no Connection
  std::string body;
  Framing framing = Framing::Length;
  bool sends_body = true;  // false for HEAD
  // The error that the response reports, itself or in a batch.
  std::optional<ErrorCode> error = std::nullopt;
  std::string explanation;  // why access was refused, for logs; empty: it was not, or nobody asks
  bool continues = false;   // has a continuation token

  std::unique_ptr<Delivery> delivery;  // null: it is sent as it is
  std::unique_ptr<BodyStream> stream;  // follows `body`, until the client hangs up; null: none

  void add_etag(DateTime timestamp) { append_etag_field(fields, timestamp); }
  void add(std::string_view name, std::string_view value) { append_field(fields, name, value); }
};

std::string_view reason_phrase(int status);

// What follows the response on the connection, and what the client understands.
struct ResponseOptions {
  bool keep_alive = true;
  bool http_1_0 = false;  // does not understand chunks
};

// Append the bytes before the body (status line, headers, the chunk's size), and return those after it.
void append_response_head(std::string& out, const Response& response, const ResponseOptions& options);
std::string_view response_tail(const Response& response, const ResponseOptions& options);

// A part of a stream (Response::stream), and its end.
void append_chunk(std::string& out, std::string_view bytes);
inline constexpr std::string_view kLastChunk = "0\r\n\r\n";

}  // namespace rocktable
