#include "server/logs/storage_analytics.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <optional>

namespace rocktable {
namespace {

// The fields of a record in their order.
constexpr auto kOrder = [] {
  using enum LogField;
  return std::array{
      None,             // version-number
      Time,             // request-start-time
      OperationName,    // operation-type
      Status,           // request-status
      HttpStatus,       // http-status-code
      TotalLatency,     // end-to-end-latency-in-ms
      ServerLatency,    // server-latency-in-ms
      None,             // authentication-type
      None,             // requester-account-name
      Account,          // owner-account-name
      Service,          // service-type
      Url,              // request-url
      ObjectKey,        // requested-object-key
      RequestId,        // request-id-header
      OperationNumber,  // operation-count
      None,             // requester-ip-address
      None,             // request-version-header
      None,             // request-header-size
      None,             // request-packet-size
      None,             // response-header-size
      ResponseBytes,    // response-packet-size
      None,             // request-content-length
      None,             // request-md5
      None,             // server-md5
      None,             // etag-identifier
      None,             // last-modified-time
      Conditions,       // conditions-used
      UserAgent,        // user-agent-header
      None,             // referrer-header
      ClientRequestId,  // client-request-id
  };
}();
static_assert(kOrder.size() == 30);

struct HtmlName {
  std::string_view name;
  char character;
};

constexpr HtmlName kHtmlNames[] = {{"amp", '&'}, {"quot", '"'}, {"lt", '<'}, {"gt", '>'}, {"apos", '\''}};
constexpr std::size_t kMaxHtmlName = 8;  // `#x10ffff`

void append_utf8(std::string& out, std::uint32_t code) {
  const auto byte = [&](std::uint32_t bits) { out += static_cast<char>(bits); };
  if (code < 0x80) return byte(code);
  if (code < 0x800) {
    byte(0xc0 | code >> 6);
  } else {
    if (code < 0x10000) {
      byte(0xe0 | code >> 12);
    } else {
      byte(0xf0 | code >> 18);
      byte(0x80 | (code >> 12 & 0x3f));
    }
    byte(0x80 | (code >> 6 & 0x3f));
  }
  byte(0x80 | (code & 0x3f));
}

// The character of `#39` or `#x27`.
std::optional<std::uint32_t> number_of_character(std::string_view name) {
  const bool is_hex = name.size() > 1 && (name[1] == 'x' || name[1] == 'X');
  const char* const begin = name.data() + (is_hex ? 2 : 1);
  const char* const end = name.data() + name.size();
  std::uint32_t out = 0;
  const auto [stop, error] = std::from_chars(begin, end, out, is_hex ? 16 : 10);
  const bool is_character = out > 0 && out <= 0x10ffff && (out < 0xd800 || out > 0xdfff);
  if (begin == end || stop != end || error != std::errc() || !is_character) return std::nullopt;
  return out;
}

// Appends the character with this name, which is between `&` and `;`. Returns false if there is none.
bool append_html_character(std::string& out, std::string_view name) {
  if (name.starts_with('#')) {
    const auto code = number_of_character(name);
    if (code) append_utf8(out, *code);
    return code.has_value();
  }
  const auto* const found =
      std::find_if(std::begin(kHtmlNames), std::end(kHtmlNames), [&](const HtmlName& one) { return one.name == name; });
  if (found == std::end(kHtmlNames)) return false;
  out += found->character;
  return true;
}

// Whether the semicolon at the end of `text` is that of `&amp;`.
bool ends_in_html_character(std::string_view text) {
  const std::string_view last = text.substr(text.size() - std::min(text.size(), kMaxHtmlName + 1));
  const auto ampersand = last.rfind('&');
  if (ampersand == last.npos) return false;
  std::string ignored;
  return append_html_character(ignored, last.substr(ampersand + 1));
}

struct Field {
  std::string_view text;
  bool is_last;    // no semicolon is behind it
  bool is_broken;  // its quote does not end
};

// Takes a field and the semicolon behind it off the front of the line.
Field take_field(std::string_view& line) {
  const std::size_t quote = line.starts_with('"') ? 1 : 0;
  std::size_t end = quote;
  const auto is_end = [&] {
    if (quote == 1) return end + 1 == line.size() || line[end + 1] == ';';
    return !ends_in_html_character(line.substr(0, end));
  };
  for (;; ++end) {
    end = line.find(quote == 1 ? '"' : ';', end);
    if (end == line.npos || is_end()) break;
  }
  if (end == line.npos && quote == 1) return {{}, true, true};
  end = std::min(end, line.size());
  const std::size_t separator = end + quote;
  const Field out{line.substr(quote, end - quote), separator >= line.size(), false};
  line.remove_prefix(std::min(separator + 1, line.size()));
  return out;
}

std::string_view html_decoded(std::string_view text, std::string& decoded) {
  if (text.find('&') == text.npos) return text;
  const std::size_t begin = decoded.size();
  append_html_decoded(decoded, text);
  return std::string_view(decoded).substr(begin);
}

}  // namespace

bool begins_as_storage_analytics(std::string_view line) {
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  return line.size() > 3 && is_digit(line[0]) && line[1] == '.' && is_digit(line[2]) && line[3] == ';';
}

std::string read_storage_analytics(std::string_view line, LogEntry& out, std::string& decoded) {
  out.clear();
  decoded.clear();
  decoded.reserve(line.size());  // views of it stay valid: decoded text is never longer
  const std::string_view version = line.substr(0, 3);
  if (version != "1.0" && version != "2.0") return "its version is " + std::string(version) + ", not 1.0 or 2.0";
  std::size_t count = 0;
  for (bool is_last = false; count < kOrder.size() && !is_last; ++count) {
    const Field field = take_field(line);
    if (field.is_broken) return "the quote of field " + std::to_string(count + 1) + " does not end";
    is_last = field.is_last;
    if (kOrder[count] != LogField::None) out.set(kOrder[count], html_decoded(field.text, decoded));
  }
  if (count < kOrder.size()) return "it has " + std::to_string(count) + " fields of " + std::to_string(kOrder.size());
  return {};
}

void append_html_decoded(std::string& out, std::string_view text) {
  while (!text.empty()) {
    const std::size_t ampersand = std::min(text.find('&'), text.size());
    out += text.substr(0, ampersand);
    text.remove_prefix(ampersand);
    const std::size_t semicolon = text.substr(0, kMaxHtmlName + 2).find(';');
    if (text.empty()) return;
    if (semicolon != text.npos && append_html_character(out, text.substr(1, semicolon - 1))) {
      text.remove_prefix(semicolon + 1);
    } else {
      out += '&';
      text.remove_prefix(1);
    }
  }
}

}  // namespace rocktable
