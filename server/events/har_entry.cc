#include "server/events/har_entry.h"

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "base/base64.h"
#include "base/date_time.h"
#include "base/text.h"
#include "odata/protocol/query_string.h"
#include "server/events/masking.h"

namespace rocktable {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kMaxParameters = 1'000;  // each takes up to 30 bytes of JSON in addition to its text
constexpr std::size_t kMaxHeaders = 2'000;     // as many as a request may have

// --- Text ------------------------------------------------------------------------------------------------

bool is_control(char c) { return static_cast<unsigned char>(c) < ' ' || c == '\x7F'; }

// Returns UTF-8 unchanged. Decodes other bytes as Latin-1, the former encoding of HTTP headers.
std::string text_of(std::string_view bytes) {
  if (is_utf8(bytes)) return std::string(bytes);
  std::string out;
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x80) {
      out += c;
    } else {
      out += static_cast<char>(0xC0 | byte >> 6);
      out += static_cast<char>(0x80 | (byte & 0x3F));
    }
  }
  return out;
}

// Percent-encodes the characters that a URL must not contain.
std::string url_text(std::string_view bytes) {
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  std::string out;
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte > ' ' && byte < 0x7F && c != '"' && c != '<' && c != '>' && c != '\\') {
      out += c;
    } else {
      out += '%';
      out += kDigits[byte >> 4];
      out += kDigits[byte & 0xF];
    }
  }
  return out;
}

std::string iso_time(std::chrono::system_clock::time_point time) {
  const auto ticks = std::chrono::duration_cast<std::chrono::nanoseconds>(time.time_since_epoch()).count() / 100;
  constexpr std::size_t kToMilliseconds = sizeof("2026-01-02T03:04:05.678") - 1;
  return to_string_7({kUnixEpoch.ticks + ticks}).substr(0, kToMilliseconds) + "Z";
}

double milliseconds(std::chrono::microseconds time) {
  return static_cast<double>(std::max<std::int64_t>(time.count(), 0)) / 1000;
}

// Removes an incomplete UTF-8 character from the end of truncated text.
std::string_view without_half_character(std::string_view text) {
  for (std::size_t cut = 1; cut <= std::min<std::size_t>(3, text.size()); ++cut) {
    const auto byte = static_cast<unsigned char>(text[text.size() - cut]);
    if (byte < 0x80) return text;
    if (byte < 0xC0) continue;
    const std::size_t length = byte >= 0xF0 ? 4 : byte >= 0xE0 ? 3 : 2;
    return length > cut ? text.substr(0, text.size() - cut) : text;
  }
  return text;
}

// --- Heads -----------------------------------------------------------------------------------------------

// The three words of the first line, and the header fields. Malformed heads are read as far as possible:
// people use the trace to find the mistake.
struct Head {
  std::string_view first, second, third;
  std::vector<std::pair<std::string_view, std::string>> fields;

  std::string_view get(std::string_view name) const {
    for (const auto& [field, value] : fields)
      if (equals_ignoring_case(field, name)) return value;
    return {};
  }
};

std::string_view take_line(std::string_view& text) {
  const auto end = text.find('\n');
  std::string_view line = text.substr(0, end);
  text.remove_prefix(end == text.npos ? text.size() : end + 1);
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

// A line that starts with white space continues the value before it. Masks the rest of a line without a
// colon: it may be the secret of a header.
void read_field(std::string_view line, Head& head) {
  if ((line.front() == ' ' || line.front() == '\t') && !head.fields.empty()) {
    head.fields.back().second.append(" ").append(trim(line));
    return;
  }
  const auto colon = line.find(':');
  if (colon != line.npos) {
    head.fields.emplace_back(trim(line.substr(0, colon)), trim(line.substr(colon + 1)));
  } else {
    const auto end = line.find_first_of(" \t=");
    head.fields.emplace_back(line.substr(0, end), end == line.npos ? "" : "***");
  }
}

Head read_head(std::string_view text) {
  Head head;
  const std::string_view line = take_line(text);
  const auto space = line.find(' ');
  head.first = line.substr(0, space);
  if (space != line.npos) head.second = line.substr(space + 1);
  while (!text.empty() && head.fields.size() < kMaxHeaders)
    if (const std::string_view field = take_line(text); !field.empty()) read_field(field, head);
  return head;
}

bool is_token(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return c > ' ' && c < '\x7F' && std::string_view("()<>@,;:\\\"/[]?={}").find(c) == std::string_view::npos;
  });
}

// `METHOD TARGET HTTP/1.1`. The target may contain spaces, and the version may be missing. Returns an empty
// head if the text does not start with a method: then it is not HTTP.
Head read_request_head(std::string_view text) {
  Head head = read_head(text);
  if (!is_token(head.first)) return {};
  if (const auto version = head.second.rfind(" HTTP/"); version != head.second.npos) {
    head.third = head.second.substr(version + 1);
    head.second = head.second.substr(0, version);
  } else if (!head.second.starts_with('/') && head.second.find("://") == head.second.npos) {
    return {};  // a header instead of the request line
  }
  return head;
}

// `HTTP/1.1 STATUS REASON`
Head read_response_head(std::string_view text) {
  Head head = read_head(text);
  const auto space = std::min(head.second.find(' '), head.second.size());
  head.third = head.second.substr(std::min(space + 1, head.second.size()));
  head.second = head.second.substr(0, space);
  return head;
}

Json headers_of(const Head& head) {
  Json out = Json::array();
  for (const auto& [name, value] : head.fields)
    out.push_back({{"name", text_of(name)}, {"value", text_of(masked_header(name, value))}});
  return out;
}

// --- Bodies ----------------------------------------------------------------------------------------------

bool is_text(std::string_view bytes) {
  return is_utf8(bytes) && std::none_of(bytes.begin(), bytes.end(),
                                        [](char c) { return is_control(c) && c != '\t' && c != '\r' && c != '\n'; });
}

// Adds `text`, and `encoding` and `comment` if needed.
void add_body(Json& out, std::string_view body, std::size_t bytes, std::string_view type) {
  std::string_view kept = body.substr(0, kMaxTracedBytes);
  const bool is_cut = kept.size() < bytes;
  if (is_cut) kept = without_half_character(kept);
  const std::string masked = masked_body(kept, type);
  if (is_text(masked)) {
    out["text"] = masked;
  } else {
    out["text"] = encode_base64(masked);
    out["encoding"] = "base64";
  }
  if (is_cut) {
    out["comment"] = kept.empty()
                         ? "the body was not kept"
                         : "the first " + std::to_string(kept.size()) + " of " + std::to_string(bytes) + " bytes";
  }
}

// --- The entry -------------------------------------------------------------------------------------------

bool is_port(std::string_view text) {
  if (text.empty() || text == ":") return true;
  if (text.front() != ':') return false;
  std::uint16_t port = 0;
  const auto [end, error] = std::from_chars(text.data() + 1, text.data() + text.size(), port);
  return error == std::errc() && end == text.data() + text.size();
}

// `name:80`, `127.0.0.1`, `[::1]:80`. HAR readers reject URLs with an invalid host.
bool is_host(std::string_view text) {
  if (text.starts_with('[')) {
    const auto end = std::min(text.find_first_not_of("0123456789abcdefABCDEF:.", 1), text.size());
    return end > 1 && text.substr(end).starts_with(']') && is_port(text.substr(end + 1));
  }
  const auto end = std::find_if_not(text.begin(), text.end(),
                                    [](char c) {
                                      return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                                             (c >= '0' && c <= '9') || c == '.' || c == '-' || c == '_';
                                    }) -
                   text.begin();
  return end > 0 && is_port(text.substr(static_cast<std::size_t>(end)));
}

bool is_absolute_url(std::string_view target) {
  const auto host = target.find("://");
  if (host == target.npos || (target.substr(0, host) != "http" && target.substr(0, host) != "https")) return false;
  const std::string_view rest = target.substr(host + 3);
  return is_host(rest.substr(0, rest.find_first_of("/?#")));
}

std::string url_of(const TracedExchange& exchange, const Head& head) {
  const std::string_view target = head.second.substr(0, kMaxTracedBytes);
  if (is_absolute_url(target)) return url_text(without_signature(target));
  std::string host(head.get("Host"));
  if (!is_host(host)) {
    const bool is_v6 = exchange.server_address.find(':') != std::string_view::npos;
    host = (is_v6 ? "[" : "") + std::string(exchange.server_address) + (is_v6 ? "]:" : ":") +
           std::to_string(exchange.server_port);
  }
  const std::string_view slash = target.starts_with('/') ? "" : "/";
  return std::string(exchange.scheme) + "://" + host + std::string(slash) + url_text(without_signature(target));
}

Json query_pairs(std::string_view url) {
  Json out = Json::array();
  const auto question = url.find('?');
  if (question == url.npos) return out;
  const std::string_view query = url.substr(question + 1);
  for_each_query_parameter(query.substr(0, query.find('#')), [&](std::string_view name, std::string_view value) {
    if (out.size() < kMaxParameters && !(name.empty() && value.empty()))
      out.push_back({{"name", text_of(decode_query_value(name))}, {"value", text_of(decode_query_value(value))}});
  });
  return out;
}

Json request_of(const TracedExchange& exchange, const Head& head) {
  const std::string url = url_of(exchange, head);
  Json out = {{"method", text_of(head.first)},      {"url", url},
              {"httpVersion", text_of(head.third)}, {"cookies", Json::array()},
              {"headers", headers_of(head)},        {"queryString", query_pairs(url)}};
  if (exchange.request_body_bytes > 0) {
    const std::string_view type = head.get("Content-Type");
    Json data = {{"mimeType", text_of(masked_text(type))}, {"params", Json::array()}};
    add_body(data, exchange.request_body, exchange.request_body_bytes, type);
    out["postData"] = std::move(data);
  }
  out["headersSize"] = -1;  // unknown: the head is kept in parsed form only
  out["bodySize"] = exchange.request_body_bytes;
  return out;
}

int status_of(std::string_view text) {
  int status = 0;
  for (const char c : text.substr(0, 3)) status = c >= '0' && c <= '9' ? 10 * status + (c - '0') : 0;
  return status;
}

Json answer_of(const TracedExchange& exchange) {
  const Head head = read_response_head(exchange.response_head);
  const std::string_view type = head.get("Content-Type");
  Json content = {{"size", exchange.response_body_bytes}, {"mimeType", text_of(type)}};
  if (exchange.response_body_bytes > 0) add_body(content, exchange.response_body, exchange.response_body_bytes, type);
  const bool is_there = !exchange.response_head.empty();
  return {{"status", status_of(head.second)},
          {"statusText", text_of(head.third)},
          {"httpVersion", text_of(head.first)},
          {"cookies", Json::array()},
          {"headers", headers_of(head)},
          {"content", std::move(content)},
          {"redirectURL", ""},
          {"headersSize", is_there ? static_cast<std::int64_t>(exchange.response_head.size()) : -1},
          {"bodySize", is_there ? static_cast<std::int64_t>(exchange.response_body_bytes) : -1}};
}

// Members that HAR does not define. HAR reserves names with a leading underscore for them.
Json insight_of(const TracedExchange& exchange) {
  Json out;
  out["client"] = exchange.client_address;
  const auto add = [&](const char* name, std::string_view text) {
    if (!text.empty()) out[name] = text_of(text);
  };
  add("requestId", exchange.request_id);
  add("plan", exchange.plan_class);
  if (!exchange.plan_class.empty()) {
    out["scanned"] = exchange.entities_scanned;
    out["scannedHere"] = exchange.entities_scanned_here;
    out["returned"] = exchange.entities_returned;
  }
  add("errorCode", exchange.error_code);
  add("explanation", masked_text(exchange.explanation.substr(0, kMaxTracedBytes)));
  return out;
}

}  // namespace

std::string har_entry(const TracedExchange& exchange) {
  const Head head = read_request_head(exchange.request_head);
  const double receiving = milliseconds(exchange.receiving);
  const double working = milliseconds(exchange.working);
  const double sending = milliseconds(exchange.sending);
  Json entry = {{"startedDateTime", iso_time(exchange.started)},
                {"time", receiving + working + sending},
                {"request", request_of(exchange, head)},
                {"response", answer_of(exchange)},
                {"cache", Json::object()},
                {"timings",
                 {{"blocked", -1},
                  {"dns", -1},
                  {"connect", -1},
                  {"ssl", -1},
                  {"send", receiving},  // HAR names the phases from the client's side
                  {"wait", working},
                  {"receive", sending}}},
                {"serverIPAddress", exchange.server_address},
                {"connection", std::to_string(exchange.connection)},
                {"_rocktable", insight_of(exchange)}};
  if (!exchange.comment.empty()) entry["comment"] = exchange.comment;
  return entry.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace rocktable
