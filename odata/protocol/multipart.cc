// Splits batches into views of the body, and writes batch responses.
#include "odata/protocol/multipart.h"

#include <algorithm>
#include <array>
#include <initializer_list>
#include <optional>

#include "base/text.h"

// Parsing works on views of the body, in linear time: each byte is scanned once per level, and there are two
// levels.
//
//  batch       := preamble  delimiter  part  final-delimiter  ignored    (final: without `--` if nothing follows)
//  part        := headers  (change-set | request)
//  change-set  := preamble  (delimiter  headers  request)*  final-delimiter  ignored
//  headers     := (name ":" value  line-break)*  line-break
//  request     := line-break*  method " " target " HTTP/" version  line-break  headers  body
namespace rocktable {
namespace {

constexpr auto kNone = std::string_view::npos;
constexpr std::size_t kMaxBoundaryLength = 70;  // RFC 2046
constexpr std::string_view kPartHeaders = "Content-Type: application/http\r\nContent-Transfer-Encoding: binary\r\n\r\n";

// Removes the next line and its line break (LF or CRLF) from `text`. Returns the line without line break.
std::string_view take_line(std::string_view& text) {
  std::string_view line = text.substr(0, text.find('\n'));
  text.remove_prefix(std::min(line.size() + 1, text.size()));
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

std::string_view without_final_line_break(std::string_view text) {
  if (text.ends_with('\n')) text.remove_suffix(1);
  if (text.ends_with('\r')) text.remove_suffix(1);
  return text;
}

constexpr std::string_view kWhiteSpace = " \t\r\n";

std::string_view without_white_space(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(kWhiteSpace);
  return begin == kNone ? std::string_view{} : text.substr(begin, text.find_last_not_of(kWhiteSpace) - begin + 1);
}

std::string_view without_final_blanks(std::string_view text) {
  while (text.ends_with(' ') || text.ends_with('\t')) text.remove_suffix(1);
  return text;
}

// Responses repeat header values, so a stray CR must not pass. Bytes above 0x7F may, because URLs contain raw
// UTF-8.
bool holds_control_character(std::string_view line) {
  static constexpr auto kIsControl = [] {
    std::array<bool, 256> is_control{};
    for (unsigned byte = 0; byte < 0x20; ++byte) is_control[byte] = byte != '\t';
    is_control[0x7F] = true;
    return is_control;
  }();
  return std::any_of(line.begin(), line.end(), [](char c) { return kIsControl[static_cast<unsigned char>(c)]; });
}

std::string_view media_type(std::string_view content_type) {
  return trim(content_type.substr(0, content_type.find(';')));
}

bool is_multipart(std::string_view content_type) {
  return equals_ignoring_case(media_type(content_type), "multipart/mixed");
}

// Returns the value of the first parameter of that name in `type/subtype; name=value; name="value"`, or an
// empty view.
std::string_view parameter(std::string_view field, std::string_view wanted) {
  for (std::size_t at = field.find(';'); at != kNone;) {
    const std::size_t name_end = field.find_first_of("=;", at + 1);
    if (name_end == kNone) break;
    const std::string_view name = trim(field.substr(at + 1, name_end - at - 1));
    at = name_end;
    if (field[at] == ';') continue;  // a name without value
    std::size_t begin = std::min(field.find_first_not_of(" \t", at + 1), field.size());
    std::size_t end = field.find(';', begin);
    if (begin < field.size() && field[begin] == '"') {
      end = field.find('"', ++begin);
      if (end == kNone) break;
    }
    if (equals_ignoring_case(name, wanted)) return trim(field.substr(begin, end - begin));
    at = field.find(';', end);
  }
  return {};
}

enum class DelimiterKind { Inner, Final };

// The delimiter at the end of a line.
struct Delimiter {
  DelimiterKind kind;
  std::size_t begin;  // in the line
};

// Finds the delimiter that a line consists of, or that follows the JSON object at its end without a line break.
// A longer boundary that begins with this one is none.
std::optional<Delimiter> find_delimiter(std::string_view line, std::string_view boundary) {
  line = without_final_blanks(line);
  const auto ends_with_boundary = [&](std::string_view text) {
    return text.size() >= boundary.size() + 2 && text.ends_with(boundary) &&
           text.substr(0, text.size() - boundary.size()).ends_with("--");
  };
  for (const auto kind : {DelimiterKind::Inner, DelimiterKind::Final}) {
    const bool final = kind == DelimiterKind::Final;
    if (final && !line.ends_with("--")) continue;
    const std::string_view text = line.substr(0, line.size() - (final ? 2 : 0));
    if (!ends_with_boundary(text)) continue;
    const std::size_t begin = text.size() - boundary.size() - 2;
    if (begin == 0 || line[begin - 1] == '}') return Delimiter{kind, begin};
  }
  return std::nullopt;
}

// Finds the lines that hold a boundary. Only these can be delimiters, and few others do.
class BoundaryLines {
 public:
  // `boundary` must not be empty.
  explicit BoundaryLines(std::string_view boundary) : boundary_(boundary), mark_(rare_in(boundary)) {}

  // Removes the lines before the next such line from `text`; all but the last line if there is none.
  void skip_to_next(std::string_view& text) const {
    text.remove_prefix(text.substr(0, find(text)).rfind('\n') + 1);  // 0 for npos
  }

 private:
  // The index of a character that is rarer in bodies than letters and digits. SDKs write `changeset_GUID`.
  static std::size_t rare_in(std::string_view boundary) {
    const std::size_t found = boundary.find('_');
    return found == kNone ? 0 : found;
  }

  // Returns the size of `text` if the boundary is not there.
  std::size_t find(std::string_view text) const {
    for (std::size_t at = mark_; (at = text.find(boundary_[mark_], at)) != kNone; ++at)
      if (text.substr(at - mark_).starts_with(boundary_)) return at - mark_;
    return text.size();
  }

  std::string_view boundary_;
  std::size_t mark_;  // index of the character to search for
};

// Returns the text between the delimiters, without the line break that belongs to the following delimiter.
// Stops at `limit` parts. Returns nullopt if the final delimiter is missing.
std::optional<std::vector<std::string_view>> split(std::string_view text, std::string_view boundary,
                                                   std::size_t limit) {
  const BoundaryLines lines(boundary);
  std::vector<std::string_view> parts;
  std::optional<std::string_view> open;  // the text from the start of the current part
  for (lines.skip_to_next(text); !text.empty(); lines.skip_to_next(text)) {
    const std::string_view rest = text;
    const auto delimiter = find_delimiter(take_line(text), boundary);
    if (!delimiter) continue;
    if (open) parts.push_back(without_final_line_break(open->substr(0, open->size() - rest.size() + delimiter->begin)));
    const bool is_last = open && text.find_first_not_of(kWhiteSpace) == kNone;
    if (delimiter->kind == DelimiterKind::Final || is_last || parts.size() == limit) return parts;
    open = text;
  }
  return std::nullopt;
}

std::optional<std::vector<std::string_view>> split_multipart(std::string_view content_type, std::string_view text,
                                                             std::size_t limit) {
  const std::string_view boundary = parameter(content_type, "boundary");
  const bool usable = !boundary.empty() && boundary.size() <= kMaxBoundaryLength;
  if (!is_multipart(content_type) || !usable) return std::nullopt;
  return split(text, boundary, limit);
}

// Removes the header lines and the empty line after them from `text`. The text may end without an empty line.
// Returns null if a line is invalid.
std::shared_ptr<const Headers> take_headers(std::string_view& text) {
  constexpr std::size_t kUsualHeaders = 8;
  auto headers = std::make_shared<Headers>();
  headers->reserve(kUsualHeaders);
  for (int count = 0; !text.empty(); ++count) {
    const std::string_view line = take_line(text);
    if (line.empty()) break;
    const std::size_t colon = line.find(':');
    const std::string_view name = line.substr(0, colon);
    // White space in a name also detects folded lines, and a request line that comes too early.
    if (colon == kNone || name.empty() || name.find_first_of(" \t") != kNone) return nullptr;
    if (holds_control_character(line) || count == kMaxPartHeaders) return nullptr;
    headers->add(name, trim(line.substr(colon + 1)));
  }
  return headers;
}

// Remembers what was parsed at the front of a text. If the next text has the same front, the result is the same.
template <class Parsed>
class RememberedFront {
 public:
  // Removes the front from `text`. `parse` does this if the front is another one; it returns null if the text is
  // invalid.
  template <class Parse>
  std::shared_ptr<const Parsed> take(std::string_view& text, const Parse& parse) {
    if (!front_.empty() && text.starts_with(front_)) {
      text.remove_prefix(front_.size());
      return parsed_;
    }
    const std::string_view whole = text;
    parsed_ = parse(text);
    // If text follows, the front ended with an empty line. Otherwise that of another text may be longer.
    front_ = parsed_ && !text.empty() ? whole.substr(0, whole.size() - text.size()) : std::string_view{};
    return parsed_;
  }

 private:
  std::shared_ptr<const Parsed> parsed_;
  std::string_view front_;  // empty: not to be compared
};

// Removes `POST /mytable HTTP/1.1` and the empty lines before it from `text`. The target extends from the
// first blank to the last one. The code that parses URLs checks its characters.
bool take_request_line(std::string_view& text, BatchPartHead& head) {
  std::string_view line;
  while (line.empty() && !text.empty()) line = trim(take_line(text));
  const std::size_t first = line.find(' ');
  const std::size_t last = line.rfind(' ');
  if (first == last || holds_control_character(line)) return false;
  head.method = line.substr(0, first);
  head.target = trim(line.substr(first, last - first));
  return !head.target.empty() && line.substr(last + 1).starts_with("HTTP/");
}

// Returns null unless the headers are those of an HTTP request.
std::shared_ptr<const Headers> take_mime_headers(std::string_view& text) {
  auto headers = take_headers(text);
  const bool is_http = headers && equals_ignoring_case(media_type(headers->get("Content-Type")), "application/http");
  return is_http ? headers : nullptr;
}

// Whether Content-Length is a number or absent. The number itself does not matter.
bool has_plain_length(const Headers& headers) {
  return headers.get("Content-Length").find_first_not_of("0123456789") == kNone;
}

// Parses the parts of a batch. Adjacent parts mostly have the same headers, and inserts the same request line.
class PartParser {
 public:
  BatchPart parse(std::string_view text) {
    auto head = head_.take(text, [this](std::string_view& rest) { return take_head(rest); });
    return {std::move(head), without_white_space(text)};
  }

 private:
  // Removes the headers of the MIME part, the request line and the headers of the request from `text`. Returns
  // null if they are invalid.
  std::shared_ptr<const BatchPartHead> take_head(std::string_view& text) {
    auto head = std::make_shared<BatchPartHead>();
    if (!mime_headers_.take(text, take_mime_headers) || !take_request_line(text, *head)) return nullptr;
    head->headers = headers_.take(text, take_headers);
    return head->headers && has_plain_length(*head->headers) ? head : nullptr;
  }

  RememberedFront<BatchPartHead> head_;
  RememberedFront<Headers> mime_headers_, headers_;
};

std::optional<BatchRequest> read_batch(std::string_view content_type, std::string_view body) {
  // More than one part is an error, so two are enough to know.
  std::optional<std::vector<std::string_view>> parts = split_multipart(content_type, body, 2);
  if (!parts || parts->size() != 1) return std::nullopt;
  std::string_view text = parts->front();
  const std::shared_ptr<const Headers> headers = take_headers(text);
  if (!headers) return std::nullopt;
  const std::string_view inner_type = headers->get("Content-Type");
  BatchRequest request;
  request.change_set = is_multipart(inner_type);
  if (request.change_set) parts = split_multipart(inner_type, text, kMaxBatchParts);
  if (!parts) return std::nullopt;
  request.parts.reserve(parts->size());
  PartParser parser;
  for (const std::string_view part_text : *parts) {
    request.parts.push_back(parser.parse(part_text));
    if (!request.parts.back().head && !request.change_set) return std::nullopt;
  }
  return request;
}

void append(std::string& out, std::initializer_list<std::string_view> texts) {
  for (const std::string_view text : texts) out.append(text);
}

}  // namespace

Result<BatchRequest> parse_batch(std::string_view content_type, std::string_view body) {
  std::optional<BatchRequest> request = read_batch(content_type, body);
  if (!request) return Error(ErrorCode::InvalidInput);
  return *std::move(request);
}

BatchResponseWriter::BatchResponseWriter(std::string batch_boundary, std::string change_set_boundary, std::size_t bytes)
    : batch_boundary_(std::move(batch_boundary)), change_set_boundary_(std::move(change_set_boundary)) {
  const bool change_set = !change_set_boundary_.empty();
  append(delimiter_, {"--", change_set ? change_set_boundary_ : batch_boundary_, "\r\n", kPartHeaders});
  out_.reserve(bytes);
  if (change_set)
    append(out_,
           {"--", batch_boundary_, "\r\nContent-Type: multipart/mixed; boundary=", change_set_boundary_, "\r\n\r\n"});
}

// If there is no body, this line break makes the second of two empty lines.
void BatchResponseWriter::end_part() {
  if (in_part_) out_ += "\r\n";
}

std::string& BatchResponseWriter::add_part() {
  end_part();
  in_part_ = true;
  return out_ += delimiter_;
}

std::string BatchResponseWriter::finish() {
  end_part();
  if (!change_set_boundary_.empty()) append(out_, {"--", change_set_boundary_, "--\r\n"});
  append(out_, {"--", batch_boundary_, "--\r\n"});
  return std::move(out_);
}

}  // namespace rocktable
