#include "server/events/masking.h"

#include <algorithm>
#include <array>

#include "odata/text.h"

namespace rocktable {
namespace {

constexpr std::string_view kMask = "***";

// `Bearer` and `SharedKey` also occur in prose. Tokens and signatures are longer than the words after them
// there.
constexpr std::size_t kShortestToken = 16;
constexpr std::size_t kLongestScheme = 20;
constexpr std::size_t kLongestAccount = 24 + sizeof("-secondary");

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

bool starts_with_ignoring_case(std::string_view text, std::string_view start) {
  return equals_ignoring_case(text.substr(0, start.size()), start);
}

bool is_hex_digit(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

int hex_value(char c) { return c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10; }

// A character of a URL or of JSON, as its reader sees it.
struct ReadCharacter {
  char value = 0;
  std::size_t length = 0;  // of its spelling
};

// Reads `c`, `%63` (also percent-encoded again, how often it may be), or `\u0063` at the start of `rest`.
ReadCharacter read_character(std::string_view rest) {
  std::size_t digits = 0;
  if (rest.front() == '%') {
    digits = 1;
    while (rest.substr(digits).starts_with("25")) digits += 2;
  } else if (starts_with_ignoring_case(rest, "\\u00")) {
    digits = 4;
  }
  if (digits == 0 || rest.size() < digits + 2 || !is_hex_digit(rest[digits]) ||
      !is_hex_digit(rest[digits + 1]))
    return {rest.front(), 1};
  return {static_cast<char>(hex_value(rest[digits]) * 16 + hex_value(rest[digits + 1])), digits + 2};
}

// The length of `sig=`, in any of its encodings, at the start of `rest`; 0 if there is none.
std::size_t signature_name(std::string_view rest) {
  std::size_t length = 0;
  for (const char expected : std::string_view("sig=")) {
    if (length == rest.size()) return 0;
    const auto [value, bytes] = read_character(rest.substr(length));
    if (to_lower_ascii(value) != expected) return 0;
    length += bytes;
  }
  return length;
}

// Returns whether a name that starts at `at` continues a word: a letter stands before it that is not the end of an
// escape, as in `%3Fsig=`, `\u003Fsig=` and `\nsig=`.
bool is_inside_a_word(std::string_view text, std::size_t at) {
  constexpr std::size_t kLongestEscape = 6;  // \u003F
  for (std::size_t length = 2; length <= std::min(at, kLongestEscape); ++length) {
    const std::string_view escape = text.substr(at - length, length);
    if (escape == "\\n" || escape == "\\r" || escape == "\\t") return false;
    if (read_character(escape).length == length) return is_letter(read_character(escape).value);
  }
  return at > 0 && is_letter(text[at - 1]);
}

// Returns whether a URL parameter ends at the start of `rest`.
bool ends_parameter(std::string_view rest) {
  return rest.starts_with('&') || rest.starts_with('#') || rest.starts_with("%26") ||
         rest.starts_with("%2526");
}

// Returns whether a value in JSON, XML, HTTP or prose ends at the start of `rest`. JSON escapes of delimiters
// count; `\u002B` and `\/` do not: they are base64 characters.
bool ends_value(std::string_view rest) {
  const char c = rest.front();
  if (static_cast<unsigned char>(c) <= ' ' || c == '"' || c == '\'' || c == '<' || c == '>') return true;
  if (c != '\\') return ends_parameter(rest);
  const std::string_view escape = rest.substr(1);
  return starts_with_ignoring_case(escape, "u0026") || starts_with_ignoring_case(escape, "u0022") ||
         escape.starts_with('"') || escape.starts_with('n') || escape.starts_with('r') ||
         escape.starts_with('t');
}

template <class Ends>
std::size_t length_until(std::string_view text, Ends ends) {
  std::size_t length = 0;
  while (length < text.size() && !ends(text.substr(length))) ++length;
  return length;
}

// The replacement of the first `length` bytes; length 0: no replacement.
struct Replacement {
  std::size_t length = 0;
  std::string text;
};

// Copies `text`. Calls `find` at each position for a replacement.
template <class Find>
std::string replaced(std::string_view text, Find find) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    const Replacement found = find(text.substr(at), [&] { return is_inside_a_word(text, at); });
    if (found.length > 0) {
      out += found.text;
      at += found.length;
    } else {
      out += text[at++];
    }
  }
  return out;
}

// `inside_a_word` excludes other parameters whose names end in `sig`.
template <class Inside, class Ends>
Replacement find_signature(std::string_view rest, Inside inside_a_word, Ends ends) {
  const std::size_t name = signature_name(rest);
  if (name == 0 || inside_a_word()) return {};
  return {name + length_until(rest.substr(name), ends), std::string(rest.substr(0, name)).append(kMask)};
}

bool is_account_name(std::string_view text) {
  return !text.empty() && text.size() <= kLongestAccount && std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-';
  });
}

// `ACCOUNT:SIGNATURE`
std::string masked_signature(std::string_view credentials) {
  const auto colon = credentials.find(':');
  if (colon == credentials.npos || !is_account_name(credentials.substr(0, colon))) return std::string(kMask);
  return std::string(credentials.substr(0, colon + 1)).append(kMask);
}

bool is_shared_key(std::string_view scheme) {
  return equals_ignoring_case(scheme, "SharedKey") || equals_ignoring_case(scheme, "SharedKeyLite");
}

// The value of Authorization.
std::string masked_credentials(std::string_view value) {
  const std::string_view text = trim(value);
  const auto space = text.find(' ');
  if (space == text.npos) return std::string(text.empty() ? text : kMask);
  const std::string_view scheme = text.substr(0, space);
  if (scheme.size() > kLongestScheme || !std::all_of(scheme.begin(), scheme.end(), is_letter))
    return std::string(kMask);
  return std::string(scheme) + " " +
         (is_shared_key(scheme) ? masked_signature(trim(text.substr(space))) : std::string(kMask));
}

// `SharedKey ACCOUNT:SIGNATURE`, `Bearer TOKEN`
Replacement find_credentials(std::string_view rest) {
  const std::size_t scheme = length_until(rest, [](std::string_view end) { return !is_letter(end.front()); });
  const bool shared_key = is_shared_key(rest.substr(0, scheme));
  if (!shared_key && !equals_ignoring_case(rest.substr(0, scheme), "Bearer")) return {};
  std::size_t from = scheme;
  for (const std::string_view blank : {" ", "\t", "\\t"}) {  // the last one in JSON
    while (rest.substr(from).starts_with(blank)) from += blank.size();
  }
  const std::size_t length = length_until(rest.substr(from), ends_value);
  if (from == scheme || length == 0) return {};
  const std::string_view credentials = rest.substr(from, length);
  const bool is_signature = shared_key && credentials.find(':') != credentials.npos;
  const bool is_cut = from + length == rest.size();
  if (!is_signature && !is_cut && length < kShortestToken) return {};
  return {from + length, std::string(rest.substr(0, from)) +
                             (shared_key ? masked_signature(credentials) : std::string(kMask))};
}

// `AccountKey=KEY;` of a connection string, `"AccountKey": "KEY"`
Replacement find_account_key(std::string_view rest) {
  constexpr std::string_view kName = "AccountKey";
  if (!starts_with_ignoring_case(rest, kName)) return {};
  const auto from = std::min(rest.find_first_not_of(" \t\"'\\:=", kName.size()), rest.size());
  if (rest.substr(kName.size(), from - kName.size()).find_first_of(":=") == rest.npos) return {};
  const std::size_t length = length_until(
      rest.substr(from), [](std::string_view end) { return end.front() == ';' || ends_value(end); });
  if (length == 0) return {};
  return {from + length, std::string(rest.substr(0, from)).append(kMask)};
}

// Returns whether the whole value of the header is a secret.
bool is_secret(std::string_view name) {
  const std::string lower = to_lower_ascii(name);
  if (lower.starts_with("access-control-")) return false;  // -allow-credentials
  constexpr std::array<std::string_view, 7> kWords = {"token",     "secret",     "password", "cookie",
                                                      "signature", "credential", "apikey"};
  return lower.ends_with("-key") || std::any_of(kWords.begin(), kWords.end(), [&](std::string_view word) {
           return lower.find(word) != std::string::npos;
         });
}

// A line of a multipart body, with its line break.
std::string masked_line(std::string_view line) {
  const auto colon = line.find(':');
  const std::string_view name = trim(line.substr(0, colon));
  const bool is_name = colon != line.npos && !name.empty() && name.find_first_of(" {\"'<") == name.npos;
  if (!is_name) return masked_text(line);
  const auto from = std::min(line.find_first_not_of(" \t", colon + 1), line.size());
  const auto end = line.find_last_not_of(" \t\r\n");
  if (end == line.npos || end < from) return std::string(line);
  return std::string(line.substr(0, from)) + masked_header(name, line.substr(from, end + 1 - from)) +
         std::string(line.substr(end + 1));
}

}  // namespace

std::string without_signature(std::string_view target) {
  return replaced(target, [](std::string_view rest, auto inside_a_word) {
    return find_signature(rest, inside_a_word, ends_parameter);
  });
}

std::string masked_header(std::string_view name, std::string_view value) {
  if (to_lower_ascii(name).find("authorization") != std::string::npos) return masked_credentials(value);
  if (equals_ignoring_case(name, "WWW-Authenticate"))
    return without_signature(value);  // `Bearer authorization_uri=...`
  if (is_secret(name)) return std::string(value.empty() ? value : kMask);
  return masked_text(value);
}

std::string masked_text(std::string_view text) {
  return replaced(text, [](std::string_view rest, auto inside_a_word) -> Replacement {
    switch (to_lower_ascii(rest.front())) {
      case 'a':
        return find_account_key(rest);
      case 'b':
        return find_credentials(rest);
      case '%':
      case '\\':
        return find_signature(rest, inside_a_word, ends_value);
      case 's':
        if (Replacement found = find_signature(rest, inside_a_word, ends_value); found.length > 0)
          return found;
        return find_credentials(rest);
      default:
        return {};
    }
  });
}

std::string masked_body(std::string_view body, std::string_view content_type) {
  constexpr std::string_view kMultipart = "multipart/";
  if (!equals_ignoring_case(trim(content_type).substr(0, kMultipart.size()), kMultipart))
    return masked_text(body);
  std::string out;
  out.reserve(body.size());
  while (!body.empty()) {
    const std::string_view line = body.substr(0, std::min(body.find('\n'), body.size() - 1) + 1);
    out += masked_line(line);
    body.remove_prefix(line.size());
  }
  return out;
}

}  // namespace rocktable
