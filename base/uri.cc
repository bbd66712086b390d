// Percent-encoding with Boost.URL. Only this file includes it here, because its headers are large.
#include "base/uri.h"

#include <boost/url/encode.hpp>
#include <boost/url/pct_string_view.hpp>
#include <boost/url/rfc/unreserved_chars.hpp>

#include "base/text.h"

namespace rocktable {
namespace {

template <class Characters>
void append_encoded(std::string& out, std::string_view text, const Characters& plain_characters) {
  const std::size_t plain = static_cast<std::size_t>(
      boost::urls::grammar::find_if_not(text.begin(), text.end(), plain_characters) - text.begin());
  out += text.substr(0, plain);
  if (plain == text.size()) return;  // most texts
  boost::urls::encode(text.substr(plain), plain_characters, {}, boost::urls::string_token::append_to(out));
}

}  // namespace

std::optional<std::string> percent_decode(std::string_view text, bool plus_is_space) {
  std::string decoded;
  const auto result = percent_decode(text, plus_is_space, decoded);
  if (!result) return std::nullopt;
  if (decoded.empty()) decoded = *result;
  return decoded;
}

std::optional<std::string_view> percent_decode(std::string_view text, bool plus_is_space, std::string& decoded) {
  if (text.find('%') == text.npos && (!plus_is_space || text.find('+') == text.npos))
    return is_utf8(text) ? std::optional(text) : std::nullopt;
  const auto encoded = boost::urls::make_pct_string_view(text);
  if (!encoded) return std::nullopt;
  boost::urls::encoding_opts options;
  options.space_as_plus = plus_is_space;
  decoded = encoded->decode(options);
  if (!is_utf8(decoded)) return std::nullopt;
  return decoded;
}

void append_percent_encoded(std::string& out, std::string_view text) {
  append_encoded(out, text, boost::urls::unreserved_chars);
}

void append_encoded_for_link(std::string& out, std::string_view text) {
  constexpr auto kPlain = boost::urls::unreserved_chars + boost::urls::grammar::lut_chars("!*'()");
  append_encoded(out, text, kPlain);
}

std::string percent_encode(std::string_view text) {
  std::string out;
  append_percent_encoded(out, text);
  return out;
}

}  // namespace rocktable
