// Multipart batches: the request body to parts, the parts of an answer to its body. Pure; knows no operation.
// Source: learn.microsoft.com/rest/api/storageservices/performing-entity-group-transactions
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "odata/error.h"
#include "odata/protocol/headers.h"

namespace rocktable {

// One HTTP request inside a batch. Views of the body, which must outlive it.
struct BatchPart {
  std::string_view method;
  std::string_view target;  // as written: absolute URL, path, or path without slash
  Headers headers;          // of the inner request; the MIME part's own headers are not among them
  std::string_view body;    // without white space at its ends
};

struct BatchRequest {
  bool change_set =
      false;  // else one part alone: a query, or a write outside a change set, which the caller judges
  std::vector<BatchPart> parts;  // none in an empty change set
};

// Of longer change sets the first so many parts are read and the rest is not looked at: the caller refuses
// from 101 on, this bounds hostile input.
inline constexpr int kMaxBatchParts = 1000;

// Header lines of one part, and as many of the request in it. Clients send about ten.
inline constexpr int kMaxPartHeaders = 100;

// Reads the body of POST /$batch. Tolerates what clients send and the service takes: LF for CRLF; header
// names in any case; extra empty lines before a boundary, behind headers, before a body; inner Content-Length
// absent or wrong; parts without body ended by one to three line breaks; a final delimiter with or without
// line break, and text behind it; quotes around the boundary parameter; a preamble. A delimiter counts only
// as a line of its own.
//
// Errors: InvalidInput "One of the request inputs is not valid." for a content type other than
// multipart/mixed, a missing or over-long (70) boundary, a body without part or without final delimiter, a
// part that is not application/http or has no request line, a header line that is none or holds control
// characters, too many of them, a second change set, a query beside a change set or another query.
Result<BatchRequest> parse_batch(std::string_view content_type, std::string_view body);

// One answer inside a batch.
struct BatchAnswer {
  std::string status_line;                        // `HTTP/1.1 204 No Content`
  std::string headers;                            // lines, each ending in CRLF
  std::string body;                               // may be empty
  std::optional<ErrorCode> error = std::nullopt;  // what it refuses; not written
};

// Writes the body of the answer, byte by byte as the service does: the parts of a change set within a
// `changesetresponse_<guid>` inside `batchresponse_<guid>`, that of a query directly in it. The boundaries
// are given whole, with these prefixes.
std::string write_batch_response(std::string_view batch_boundary, std::string_view change_set_boundary,
                                 bool change_set, const std::vector<BatchAnswer>& answers);

}  // namespace rocktable
