// Multipart batches: splits the request body into parts, and writes the response body from parts. No I/O;
// does not know any operation. Source:
// learn.microsoft.com/rest/api/storageservices/performing-entity-group-transactions
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "odata/error.h"
#include "odata/protocol/headers.h"

namespace rocktable {

// One HTTP request inside a batch. Holds views of the body, which must outlive it.
struct BatchPart {
  std::string_view method;
  std::string_view target;  // as written: absolute URL, path, or path without leading slash
  Headers headers;          // of the inner request, without the headers of the MIME part
  std::string_view body;    // without white space at both ends
};

struct BatchRequest {
  // If false, there is exactly one part: a query, or a write outside a change set. The caller judges that.
  bool change_set = false;
  std::vector<BatchPart> parts;  // empty for an empty change set
};

// Longer change sets are read up to this many parts; the rest is ignored. This limit is for hostile input:
// the caller refuses change sets from 101 parts on.
inline constexpr int kMaxBatchParts = 1000;

// The largest number of header lines of one part, and of the request in it. Clients send about ten.
inline constexpr int kMaxPartHeaders = 100;

// Reads the body of POST /$batch. Accepts what clients send and the service accepts: LF for CRLF; header
// names in any case; extra empty lines before a boundary, after headers, before a body; an inner
// Content-Length that is absent or wrong; one to three line breaks after parts without body; a final
// delimiter with or without line break, and text after it; quotes around the boundary parameter; a preamble.
// A delimiter must be a line of its own.
//
// Errors: InvalidInput "One of the request inputs is not valid." for a content type other than
// multipart/mixed, a boundary that is missing or longer than 70, a body without part or without final
// delimiter, a part that is not application/http or has no request line, a header line without name or with
// control characters, too many header lines, a second change set, a query beside a change set or another
// query.
Result<BatchRequest> parse_batch(std::string_view content_type, std::string_view body);

// One response inside a batch.
struct BatchResponse {
  std::string status_line;                        // `HTTP/1.1 204 No Content`
  std::string headers;                            // lines, each ending in CRLF
  std::string body;                               // can be empty
  std::optional<ErrorCode> error = std::nullopt;  // the error that it reports; not written
  std::string explanation = {};                   // why access was refused; not written
};

// Writes the body of the response, byte for byte as the service does: the parts of a change set within a
// `changesetresponse_<guid>` inside `batchresponse_<guid>`, the part of a query directly in the latter. The
// caller passes complete boundaries, with these prefixes.
std::string write_batch_response(std::string_view batch_boundary, std::string_view change_set_boundary,
                                 bool change_set, const std::vector<BatchResponse>& answers);

}  // namespace rocktable
