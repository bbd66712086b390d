// Any bytes as a batch; the first line is its Content-Type. Refused, or a few valid parts that are unchanged
// after writing them as a client would and reading them. With their bodies as responses, all come back
// between the boundaries.
#include "odata/protocol/multipart.h"
#include "tests/fuzz/require.h"
#include "tests/fuzz/targets.h"

namespace rocktable {
namespace {

void check_part(const BatchPart& part, std::string_view body) {
  require(lies_within(part.body, body), "a body lies outside of its batch");
  if (!part.head) return;
  require(!part.head->method.empty() && !part.head->target.empty(), "a part without method or target");
  require(part.head->headers->all().size() <= static_cast<std::size_t>(kMaxPartHeaders), "too many headers");
  std::vector<std::string_view> pieces{part.head->method, part.head->target};
  for (const auto& [name, value] : part.head->headers->all()) {
    require(!name.empty() && name.find_first_of(" \t:") == name.npos && trim(value) == value, "a header that is none");
    pieces.insert(pieces.end(), {name, value});
  }
  for (const auto piece : pieces) {
    require(lies_within(piece, body), "a part lies outside of its batch");
    require(!holds_control_character(piece), "a line holds a line break");
  }
}

// Returns a boundary with which no line of the text starts.
std::string foreign_boundary(std::string_view text, std::string boundary) {
  while (text.find(boundary) != text.npos) boundary += static_cast<char>('a' + boundary.size() % 26);
  return boundary;
}

std::string written(const BatchPart& part) {
  if (!part.head) return "rubbish\r\n";
  std::string out = "Content-Type: application/http\r\nContent-Transfer-Encoding: binary\r\n\r\n";
  out.append(part.head->method).append(" ").append(part.head->target).append(" HTTP/1.1\r\n");
  for (const auto& [name, value] : part.head->headers->all())
    out.append(name).append(": ").append(value).append("\r\n");
  return out.append("\r\n").append(part.body).append("\r\n");
}

std::string written(const BatchRequest& request, const std::string& outer, const std::string& inner) {
  std::string out = "--" + outer + "\r\n";
  if (request.change_set) out += "Content-Type: multipart/mixed; boundary=" + inner + "\r\n\r\n";
  for (const auto& part : request.parts) out += (request.change_set ? "--" + inner + "\r\n" : "") + written(part);
  if (request.change_set) out += "--" + inner + "--\r\n";
  return out + "--" + outer + "--\r\n";
}

bool same(const BatchPart& a, const BatchPart& b) {
  if (!a.head || !b.head) return !a.head && !b.head;
  return a.head->method == b.head->method && a.head->target == b.head->target &&
         a.head->headers->all() == b.head->headers->all() && a.body == b.body;
}

void check_written_again(const BatchRequest& request, std::string_view input) {
  const std::string outer = foreign_boundary(input, "batch_"), inner = foreign_boundary(input, "changeset_");
  if (outer.size() > 70 || inner.size() > 70) return;
  const std::string text = written(request, outer, inner);
  const auto again = parse_batch("multipart/mixed; boundary=" + outer, text);
  require(again && again->change_set == request.change_set &&
              std::equal(again->parts.begin(), again->parts.end(), request.parts.begin(), request.parts.end(), same),
          "a batch changes when it is written and read again");
}

void check_batch_response(const BatchRequest& request, std::string_view input) {
  const std::string outer = foreign_boundary(input, "batchresponse_"),
                    inner = foreign_boundary(input, "changesetresponse_");
  BatchResponseWriter response(outer, request.change_set ? inner : std::string());
  for (const auto& part : request.parts)
    response.add_part().append("HTTP/1.1 204 No Content\r\nA: b\r\n\r\n").append(part.body);
  const std::string text = response.finish();
  const std::string delimiter = "--" + (request.change_set ? inner : outer) + "\r\n";
  std::size_t at = text.find(delimiter);
  for (const auto& sent : request.parts) {
    require(at != text.npos, "an answer is missing");
    const std::size_t next = text.find("--" + (request.change_set ? inner : outer), at + 1);
    const std::string_view part = std::string_view(text).substr(at, next - at);
    require(part.ends_with("\r\n\r\n" + std::string(sent.body) + "\r\n"), "an answer has another body");
    at = next;
  }
  require(text.ends_with("--" + outer + "--\r\n"), "a batch's answer does not end");
}

}  // namespace

void fuzz_batch(std::string_view input) {
  const auto line_end = std::min(input.find('\n'), input.size());
  const std::string_view content_type = input.substr(0, line_end),
                         body = input.substr(std::min(line_end + 1, input.size()));
  const auto request = parse_batch(content_type, body);
  if (!request) return require_refusal(request.error(), input.size());
  require(request->parts.size() <= static_cast<std::size_t>(kMaxBatchParts), "too many parts");
  require(request->change_set || request->parts.size() == 1, "a query beside another part");
  for (const auto& part : request->parts) {
    check_part(part, body);
    require(part.head != nullptr || request->change_set, "a query that cannot be read");
  }
  check_written_again(*request, input);
  check_batch_response(*request, input);
}

}  // namespace rocktable
