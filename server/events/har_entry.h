// One request and its answer as an entry of an HTTP archive (HAR 1.2), for developer tools to read. Pure.
// Source: w3c.github.io/web-performance/specs/HAR/Overview.html
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace rocktable {

// So many bytes of each body, of all headers together, and of a URL are kept.
inline constexpr std::size_t kMaxTracedBytes = 64 << 10;

// No entry is longer, whatever a client sends.
inline constexpr std::size_t kMaxEntryBytes = 2 << 20;

// What was received and sent. Views. A request's head holds at most kMaxTracedBytes of target, and as many of headers;
// bodies may be whole, or cut at kMaxTracedBytes.
struct TracedExchange {
  std::chrono::system_clock::time_point started;  // the first byte of the request came
  std::chrono::microseconds receiving{};          // from then to its last byte
  std::chrono::microseconds working{};            // from then to the first byte of the answer
  std::chrono::microseconds sending{};            // from then to its last byte

  std::string_view scheme;          // `http`
  std::string_view server_address;  // `127.0.0.1`, `::1`
  std::uint16_t server_port = 0;
  std::string_view client_address;
  std::uint64_t connection = 0;  // since the start of the server

  std::string_view request_head;  // request line and headers, as far as they came; may be no HTTP at all
  std::string_view request_body;
  std::size_t request_body_bytes = 0;  // of the whole body
  std::string_view answer_head;        // empty: there was no answer
  std::string_view answer_body;
  std::size_t answer_body_bytes = 0;

  std::string_view request_id;  // empty: it was not accepted as a request
  std::string_view plan_class;  // empty where nothing was read by key, as in the access log
  std::uint64_t entities_scanned = 0;
  std::uint64_t entities_returned = 0;
  std::string_view error_code;   // empty: no error
  std::string_view explanation;  // why access was refused
  std::string_view comment;  // what else has to be said: a client that went away, a body that was not kept
};

// The entry, JSON in one line, its secrets masked (server/events/masking.h). Bytes that are no UTF-8 are percent-encoded in URLs,
// read as Latin-1 in headers, and make a body base64.
std::string har_entry(const TracedExchange& exchange);

}  // namespace rocktable
