// Renders a request and its response as an entry of an HTTP archive (HAR 1.2) for developer tools. Pure.
// Source: w3c.github.io/web-performance/specs/HAR/Overview.html
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace rocktable {

// Limit in bytes for each body, for all headers together, and for a URL.
inline constexpr std::size_t kMaxTracedBytes = 64 << 10;

// Upper bound in bytes of a rendered entry, for any request.
inline constexpr std::size_t kMaxEntryBytes = 2 << 20;

// A request and its response, as views. The request head has at most kMaxTracedBytes of target and
// kMaxTracedBytes of headers. Bodies may be complete, or truncated to kMaxTracedBytes.
struct TracedExchange {
  std::chrono::system_clock::time_point started;  // arrival of the first byte of the request
  std::chrono::microseconds receiving{};          // until its last byte
  std::chrono::microseconds working{};            // then until the first byte of the response
  std::chrono::microseconds sending{};            // then until its last byte

  std::string_view scheme;          // `http`
  std::string_view server_address;  // `127.0.0.1`, `::1`
  std::uint16_t server_port = 0;
  std::string_view client_address;
  std::uint64_t connection = 0;  // number since the start of the server

  std::string_view request_head;  // request line and headers, as far as received; may not be HTTP
  std::string_view request_body;
  std::size_t request_body_bytes = 0;  // of the whole body
  std::string_view response_head;      // empty: no response
  std::string_view response_body;
  std::size_t response_body_bytes = 0;

  std::string_view request_id;         // empty: not accepted as a request
  std::string_view plan_class;         // empty if the request read nothing by key
  std::uint64_t entities_scanned = 0;  // by the service (RequestEvent::scanned_in_cloud)
  std::uint64_t entities_scanned_here = 0;
  std::uint64_t entities_returned = 0;
  std::string_view error_code;   // empty: no error
  std::string_view explanation;  // why access was refused
  std::string_view comment;      // remarks: the client closed the connection, the body was not kept
};

// Returns the entry as one line of JSON, with masked secrets (masking.h). Bytes that are not UTF-8 are
// percent-encoded in URLs, read as Latin-1 in headers, and cause base64 in bodies.
std::string har_entry(const TracedExchange& exchange);

}  // namespace rocktable
