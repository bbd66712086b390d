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

// Plain, percent-encoded, and percent-encoded twice.
constexpr std::array<std::string_view, 3> kSignatureNames = {"sig=", "sig%3D", "sig%253D"};

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

bool starts_with_ignoring_case(std::string_view text, std::string_view start) {
  return equals_ignoring_case(text.substr(0, start.size()), start);
}

// The length of `sig=`, in any of its encodings, at the start of `rest`; 0 if there is none.
std::size_t signature_name(std::string_view rest) {
  if (rest.empty() || to_lower_ascii(rest.front()) != 's') return 0;
  const auto* name = std::find_if(kSignatureNames.begin(), kSignatureNames.end(),
                                  [&](std::string_view one) { return starts_with_ignoring_case(rest, one); });
  return name == kSignatureNames.end() ? 0 : name->size();
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
    const bool inside_a_word = at > 0 && is_letter(text[at - 1]);
    const Replacement found = find(text.substr(at), inside_a_word);
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
template <class Ends>
Replacement find_signature(std::string_view rest, bool inside_a_word, Ends ends) {
  const std::size_t name = inside_a_word ? 0 : signature_name(rest);
  if (name == 0) return {};
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
  const auto from = std::min(rest.find_first_not_of(' ', scheme), rest.size());
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
  return replaced(target, [](std::string_view rest, bool inside_a_word) {
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
  return replaced(text, [](std::string_view rest, bool inside_a_word) -> Replacement {
    switch (to_lower_ascii(rest.front())) {
      case 'a':
        return find_account_key(rest);
      case 'b':
        return find_credentials(rest);
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
