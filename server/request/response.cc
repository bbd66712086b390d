#include "server/request/response.h"

#include <algorithm>
#include <charconv>

#include "odata/entity.h"

namespace rocktable {
namespace {

bool is_chunked(const Response& response, const ResponseOptions& options) {
  return response.framing == Response::Framing::Chunked && !options.http_1_0;
}

void append_number(std::string& out, std::size_t number, int base) {
  char digits[24];
  out += std::string_view(digits, std::to_chars(digits, digits + sizeof digits, number, base).ptr);
}

}  // namespace

void append_field(std::string& fields, std::string_view name, std::string_view value) {
  fields += name;
  fields += ": ";
  fields += value;
  fields += "\r\n";
}

void append_etag_field(std::string& fields, DateTime timestamp) {
  constexpr std::string_view kName = "ETag: ", kEnd = "\r\n";
  char line[kName.size() + kMaxETagLength + kEnd.size()];
  char* const end = write_etag(std::copy(kName.begin(), kName.end(), line), timestamp);
  fields += std::string_view(line, std::copy(kEnd.begin(), kEnd.end(), end));
}

std::string_view reason_phrase(int status) {
  switch (status) {
    case 200:
      return "OK";
    case 201:
      return "Created";
    case 202:
      return "Accepted";
    case 204:
      return "No Content";
    case 400:
      return "Bad Request";
    case 401:
      return "Unauthorized";
    case 403:
      return "Forbidden";
    case 404:
      return "Not Found";
    case 405:
      return "Method Not Allowed";
    case 408:
      return "Request Timeout";
    case 409:
      return "Conflict";
    case 412:
      return "Precondition Failed";
    case 413:
      return "Request Entity Too Large";
    case 415:
      return "Unsupported Media Type";
    case 429:
      return "Too Many Requests";
    case 500:
      return "Internal Server Error";
    case 501:
      return "Not Implemented";
    case 502:
      return "Bad Gateway";
    case 503:
      return "Service Unavailable";
    case 504:
      return "Gateway Timeout";
    default:
      return "Unknown";
  }
}

void append_response_head(std::string& out, const Response& response, const ResponseOptions& options) {
  out += options.http_1_0 ? "HTTP/1.0 " : "HTTP/1.1 ";
  append_number(out, static_cast<std::size_t>(response.status), 10);
  out += ' ';
  out += response.reason.empty() ? reason_phrase(response.status) : std::string_view(response.reason);
  out += "\r\n";
  out += response.fields;
  const bool chunked = is_chunked(response, options);
  if (chunked) {
    out += "Transfer-Encoding: chunked\r\n";
  } else {
    out += "Content-Length: ";
    append_number(out, response.body.size(), 10);
    out += "\r\n";
  }
  if (!options.keep_alive) out += "Connection: close\r\n";
  if (options.keep_alive && options.http_1_0) out += "Connection: keep-alive\r\n";
  out += "\r\n";
  if (chunked && response.sends_body && !response.body.empty()) {
    append_number(out, response.body.size(), 16);
    out += "\r\n";
  }
}

std::string_view response_tail(const Response& response, const ResponseOptions& options) {
  if (!is_chunked(response, options) || !response.sends_body || response.stream) return "";
  return response.body.empty() ? kLastChunk : "\r\n0\r\n\r\n";
}

void append_chunk(std::string& out, std::string_view bytes) {
  append_number(out, bytes.size(), 16);
  out.append("\r\n").append(bytes).append("\r\n");
}

}  // namespace rocktable
