// One HTTP answer: status, header lines, body, ready to be written.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "odata/date_time.h"
#include "odata/error.h"

namespace rocktable {

// Appends a header line with its CRLF.
void append_field(std::string& fields, std::string_view name, std::string_view value);

void append_etag_field(std::string& fields, DateTime timestamp);

struct Response {
  enum class Framing { Length, Chunked };

  int status = 200;
  std::string reason;  // empty: the standard phrase of the status
  std::string fields;  // header lines, each with its CRLF; no framing, no Connection
  std::string body;
  Framing framing = Framing::Length;
  bool sends_body = true;  // false for the answer to a HEAD
  // What the answer refuses, or the batch that it answers.
  std::optional<ErrorCode> error = std::nullopt;
  std::string explanation;  // why access was refused, for logs; empty: it was not, or nobody asks
  bool continues = false;   // has a continuation token

  void add_etag(DateTime timestamp) { append_etag_field(fields, timestamp); }
  void add(std::string_view name, std::string_view value) { append_field(fields, name, value); }
};

std::string_view reason_phrase(int status);

// How the connection goes on, and what the client understands.
struct Delivery {
  bool keep_alive = true;
  bool http_1_0 = false;  // knows no chunks
};

// The bytes in front of the body (status line, headers, the chunk's size), appended, and those behind it.
void append_response_head(std::string& out, const Response& response, const Delivery& delivery);
std::string_view response_tail(const Response& response, const Delivery& delivery);

}  // namespace rocktable
