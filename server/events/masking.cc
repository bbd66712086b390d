#include "server/events/masking.h"

#include <algorithm>
#include <array>

#include "base/text.h"

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

// A character of a URL or of JSON, as its reader sees it.
struct ReadCharacter {
  char value = 0;
  std::size_t length = 0;  // of its spelling
};

bool are_hex_digits(std::string_view text) {
  return text.size() == 2 && hex_value(text[0]) >= 0 && hex_value(text[1]) >= 0;
}

ReadCharacter escaped_byte(std::string_view digits, std::size_t length) {
  return {static_cast<char>(hex_value(digits[0]) * 16 + hex_value(digits[1])), length};
}

// Reads `c`, `%63` (also percent-encoded again, how often it may be), `\u0063`, or `\t` at the start of `rest`.
ReadCharacter read_character(std::string_view rest) {
  constexpr std::string_view kJson = "\\u00";
  std::size_t digits = 0;
  if (rest.front() == '%') {
    digits = 1;
    while (rest.substr(digits).starts_with("25")) digits += 2;
  } else if (starts_with_ignoring_case(rest, kJson)) {
    digits = kJson.size();
  } else if (rest.front() == '\\' && rest.size() > 1) {
    constexpr std::string_view kLetters = "bfnrt\"";
    constexpr std::string_view kValues = "\b\f\n\r\t\"";
    const auto letter = kLetters.find(rest[1]);
    if (letter != kLetters.npos) return {kValues[letter], 2};
  }
  const std::string_view pair = rest.substr(digits, 2);
  if (digits == 0 || !are_hex_digits(pair)) return {rest.front(), 1};
  return escaped_byte(pair, digits + 2);
}

// Reads the last character of `text`, which may be an escape with digits.
ReadCharacter last_character(std::string_view text) {
  constexpr std::string_view kJson = "\\u00";
  if (text.size() > 2 && are_hex_digits(text.substr(text.size() - 2))) {
    const std::string_view digits = text.substr(text.size() - 2);
    std::string_view before = text.substr(0, text.size() - 2);
    if (before.size() >= kJson.size() && starts_with_ignoring_case(before.substr(before.size() - 4), kJson))
      return escaped_byte(digits, 6);
    while (before.ends_with("25")) before.remove_suffix(2);
    if (before.ends_with('%')) return escaped_byte(digits, text.size() + 1 - before.size());
  }
  return {text.back(), 1};
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

// Returns whether a name behind `before` continues a word: a letter stands there that is not the end of an escape,
// as in `%3Fsig=`, `\u003Fsig=`, `\nsig=` and `%5Cnsig=`.
bool ends_inside_a_word(std::string_view before) {
  if (before.empty()) return false;
  const ReadCharacter last = last_character(before);
  if (!is_letter(last.value)) return false;
  before.remove_suffix(last.length);
  const bool may_be_escape = last.length == 1 && std::string_view("bfnrt").find(last.value) != std::string_view::npos;
  return !may_be_escape || before.empty() || last_character(before).value != '\\';
}

// Returns whether a URL parameter ends at the start of `rest`.
bool ends_parameter(std::string_view rest) {
  return rest.starts_with('#') || (!rest.starts_with('\\') && read_character(rest).value == '&');
}

// Returns whether a value in JSON, XML, HTTP or prose ends at the start of `rest`. Escaped delimiters count;
// escaped blanks do not, because a `+` in base64 may have become one, unless they are `\n` and the like.
bool ends_value(std::string_view rest) {
  const auto [value, length] = read_character(rest);
  const bool is_escaped_by_digits = length > 2;
  if (static_cast<unsigned char>(value) <= ' ') return !is_escaped_by_digits;
  return std::string_view("\"'<>&").find(value) != std::string_view::npos || ends_parameter(rest);
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
    const Replacement found = find(text.substr(at), [&] { return ends_inside_a_word(text.substr(0, at)); });
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

// Of `ACCOUNT:SIGNATURE`, also if the colon is escaped; the whole length if there is none.
std::size_t colon_in(std::string_view credentials) {
  return length_until(credentials, [](std::string_view rest) { return read_character(rest).value == ':'; });
}

// `ACCOUNT:SIGNATURE`
std::string masked_signature(std::string_view credentials) {
  const std::size_t colon = colon_in(credentials);
  if (colon == credentials.size() || !is_account_name(credentials.substr(0, colon))) return std::string(kMask);
  const std::size_t length = read_character(credentials.substr(colon)).length;
  return std::string(credentials.substr(0, colon + length)).append(kMask);
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

// The length of the name of a scheme with credentials at the start of `rest`; 0 if there is none.
std::size_t scheme_name(std::string_view rest) {
  for (const std::string_view scheme : {"SharedKeyLite", "SharedKey", "Bearer"}) {
    if (!starts_with_ignoring_case(rest, scheme)) continue;
    if (rest.size() == scheme.size() || !is_letter(rest[scheme.size()])) return scheme.size();
  }
  return 0;
}

// The length of what stands before a value: characters of `kinds` in any spelling, and the backslashes that
// JSON in JSON puts before its escapes.
std::size_t length_of_characters(std::string_view rest, std::string_view kinds) {
  std::size_t length = 0;
  while (length < rest.size()) {
    const auto [value, bytes] = read_character(rest.substr(length));
    const bool is_doubled = value == '\\' && rest.substr(length + bytes).starts_with('\\');
    if (!is_doubled && kinds.find(value) == kinds.npos) break;
    length += bytes;
  }
  return length;
}

// `SharedKey ACCOUNT:SIGNATURE`, `Bearer TOKEN`. In a URL a `+` is a blank.
Replacement find_credentials(std::string_view rest) {
  const std::size_t scheme = scheme_name(rest);
  if (scheme == 0) return {};
  const bool shared_key = is_shared_key(rest.substr(0, scheme));
  const std::size_t from = scheme + length_of_characters(rest.substr(scheme), " \t+");
  // A token has no `+` that could have become a blank.
  const auto ends = [&](std::string_view end) {
    return ends_value(end) || (!shared_key && static_cast<unsigned char>(read_character(end).value) <= ' ');
  };
  const std::size_t length = length_until(rest.substr(from), ends);
  if (from == scheme || length == 0) return {};
  const std::string_view credentials = rest.substr(from, length);
  const bool is_signature = shared_key && colon_in(credentials) < credentials.size();
  const bool is_cut = from + length == rest.size();
  if (!is_signature && !is_cut && length < kShortestToken) return {};
  return {from + length,
          std::string(rest.substr(0, from)) + (shared_key ? masked_signature(credentials) : std::string(kMask))};
}

// `AccountKey=KEY;` of a connection string, `"AccountKey": "KEY"`, `AccountKey%3DKEY%3B`
Replacement find_account_key(std::string_view rest) {
  constexpr std::string_view kName = "AccountKey";
  if (!starts_with_ignoring_case(rest, kName)) return {};
  const std::size_t quotes = kName.size() + length_of_characters(rest.substr(kName.size()), " \t+\"'\\");
  const std::size_t from = quotes + length_of_characters(rest.substr(quotes), " \t\"'\\:=");
  if (from == quotes) return {};  // no `=` or `:`
  const std::size_t length = length_until(
      rest.substr(from), [](std::string_view end) { return read_character(end).value == ';' || ends_value(end); });
  if (length == 0) return {};
  return {from + length, std::string(rest.substr(0, from)).append(kMask)};
}

std::string masked_signatures(std::string_view text) {
  return replaced(text, [](std::string_view rest, auto inside_a_word) {
    return find_signature(rest, inside_a_word, ends_parameter);
  });
}

// Masks all kinds of secrets. `ends` is where a signature ends.
template <class Ends>
std::string without_secrets(std::string_view text, Ends ends) {
  return replaced(text, [&](std::string_view rest, auto inside_a_word) -> Replacement {
    switch (to_lower_ascii(rest.front())) {
      case 'a':
        return find_account_key(rest);
      case 'b':
        return find_credentials(rest);
      case '%':
      case '\\':
        return find_signature(rest, inside_a_word, ends);
      case 's':
        if (Replacement found = find_signature(rest, inside_a_word, ends); found.length > 0) return found;
        return find_credentials(rest);
      default:
        return {};
    }
  });
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

// `<Value>` of a UserDelegationKey; the rest as other text.
std::string masked_xml(std::string_view body) {
  constexpr std::string_view kRoot = "<UserDelegationKey>", kValue = "<Value>";
  const auto root = body.find(kRoot);
  const auto value = root == body.npos ? root : body.find(kValue, root);
  if (value == body.npos) return masked_text(body);
  const auto from = value + kValue.size(), end = std::min(body.find('<', from), body.size());
  return masked_text(body.substr(0, from)).append(end == from ? "" : kMask) + masked_text(body.substr(end));
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

std::string without_signature(std::string_view target) { return without_secrets(target, ends_parameter); }

std::string masked_header(std::string_view name, std::string_view value) {
  if (to_lower_ascii(name).find("authorization") != std::string::npos) return masked_credentials(value);
  if (equals_ignoring_case(name, "WWW-Authenticate"))
    return masked_signatures(value);  // `Bearer authorization_uri=...`
  if (is_secret(name)) return std::string(value.empty() ? value : kMask);
  return masked_text(value);
}

std::string masked_text(std::string_view text) { return without_secrets(text, ends_value); }

std::string masked_body(std::string_view body, std::string_view content_type) {
  constexpr std::string_view kMultipart = "multipart/";
  if (!equals_ignoring_case(trim(content_type).substr(0, kMultipart.size()), kMultipart)) return masked_xml(body);
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
