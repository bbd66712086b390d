// Any bytes as each of the small texts in requests (times, ETags, Guids, numbers, base64, key predicates):
// unchanged after reading and writing. Also as the bytes of numbers and times, which must survive writing and
// reading.
#include <cmath>
#include <cstring>

#include "base/base64.h"
#include "base/uri.h"
#include "odata/entity.h"
#include "odata/key_predicate.h"
#include "tests/fuzz/require.h"
#include "tests/fuzz/targets.h"
#include "tests/unit/storage/samples.h"

namespace rocktable {
namespace {

void check_time(DateTime time) {
  require(parse_date_time(to_string(time)) == time, "a time changes");
  require(parse_date_time(to_string_7(time)) == time, "a time with seven decimals changes");
  require(to_string(time).size() <= kMaxDateTimeLength && etag_of(time).size() <= kMaxETagLength,
          "a time is longer than it may be");
  const auto etag = parse_etag(etag_of(time));
  require(etag && *etag == time, "an ETag changes");
  const std::string date = to_http_date(time);
  const auto second = parse_http_date(date);
  require(date.size() == kHttpDateLength && second && *second == whole_second(time), "a date of HTTP changes");
}

void check_double(double number) {
  std::string text;
  append_double(text, number);
  require(text.size() <= kMaxDoubleLength, "a number is longer than it may be");
  const auto again = parse_double(text);
  require(again && (*again == number || (std::isnan(*again) && std::isnan(number))), "a number changes");
}

template <class Integer>
void check_integer(std::optional<Integer> number, std::optional<Integer> (*parse)(std::string_view)) {
  require(!number || parse(std::to_string(*number)) == number, "an integer changes");
}

void check_texts(std::string_view text) {
  if (const auto time = parse_date_time(text)) check_time(*time);
  if (const auto time = parse_http_date(text)) {
    check_time(*time);
    require(equals_ignoring_case(to_http_date(*time), text), "a date of HTTP has two spellings");
  }
  if (const auto time = parse_etag(text)) {
    check_time(*time);
  } else {
    require_refusal(time.error(), text.size());
  }
  if (const auto number = parse_double(text)) check_double(*number);
  check_integer(parse_int32(text), parse_int32);
  check_integer(parse_int64(text), parse_int64);
  if (const auto guid = parse_guid(text)) {
    std::string written;
    append_guid(written, *guid);
    require(equals_ignoring_case(written, text), "a Guid changes");
  }
}

void check_encodings(std::string_view bytes) {
  const std::string base64 = encode_base64(bytes);
  require(base64.size() == base64_length(bytes.size()) && decode_base64(base64) == bytes, "base64 loses bytes");
  if (const auto decoded = decode_base64(bytes))
    require(base64_length(decoded->size()) == bytes.size(), "base64 has another length");
  const std::string encoded = percent_encode(bytes);
  for (const bool plus_is_space : {false, true}) {
    const auto decoded = percent_decode(encoded, plus_is_space);
    require(decoded.has_value() == is_utf8(bytes) && (!decoded || *decoded == bytes), "percent-encoding loses bytes");
    if (const auto text = percent_decode(bytes, plus_is_space))
      require(is_utf8(*text) && text->size() <= bytes.size(), "percent-decoding makes what is no text");
  }
}

void check_key_predicate(std::string_view text) {
  const auto key = parse_key_predicate(text);
  if (!is_utf8(text)) return;  // not possible in a URL; an error quotes it
  if (!key) return require_refusal(key.error(), text.size());
  std::string url;
  append_key_predicate(url, key->partition_key, key->row_key);
  const auto decoded = percent_decode(url, false);
  require(decoded.has_value(), "a key's URL cannot be decoded");
  const auto again = parse_key_predicate(std::string_view(*decoded).substr(1, decoded->size() - 2));
  require(again && *again == *key, "a key changes on its way through a URL");
}

void check_order(std::string_view a, std::string_view b) {
  if (!is_utf8(a) || !is_utf8(b)) return;
  require((compare_utf16(a, b) < 0) == (utf16(a) < utf16(b)) && utf16_length(a) == utf16(a).size(),
          "another order than that of UTF-16");
}

}  // namespace

void fuzz_literal(std::string_view input) {
  check_texts(input);
  check_encodings(input);
  check_key_predicate(input);
  check_order(input.substr(0, input.find('\n')), input.substr(std::min(input.find('\n'), input.size())));
  if (input.size() < 8) return;
  double number;
  std::int64_t integer;
  std::memcpy(&number, input.data(), sizeof number);
  std::memcpy(&integer, input.data(), sizeof integer);
  check_double(number);
  if (integer >= 0 && integer <= kMaxDateTime.ticks) check_time({integer});
}

}  // namespace rocktable
