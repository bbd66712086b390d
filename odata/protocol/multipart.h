// Multipart batches: splits the request body into parts, and writes the response body from parts. No I/O;
// does not know any operation. Source:
// learn.microsoft.com/rest/api/storageservices/performing-entity-group-transactions
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "odata/error.h"
#include "odata/protocol/headers.h"

namespace rocktable {

// The request line and headers of one HTTP request inside a batch, without the headers of the MIME part. Holds
// views of the body of the batch, which must outlive it.
struct BatchPartHead {
  std::string_view method;
  std::string_view target;                 // as written: absolute URL, path, or path without leading slash
  std::shared_ptr<const Headers> headers;  // never null; shared by adjacent parts with the same headers
};

struct BatchPart {
  // Adjacent parts whose text before the body is the same share one head. Most inserts of a transaction do. Null for
  // a part that cannot be read.
  std::shared_ptr<const BatchPartHead> head;
  std::string_view body;  // without white space at both ends; a view of the body of the batch
};

struct BatchRequest {
  // If false, there is exactly one part, which can be read: a query, or a write outside a change set. The caller
  // judges that.
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
//
// A delimiter is a line of its own, or the end of a line after the JSON object of a body: `{...}--changeset_x`. The
// last delimiter is final also without its last two hyphens, if nothing follows it.
//
// A part of a change set that cannot be read has no head: there is no application/http part or no request line in
// it, a header line has no name or has control characters, there are too many header lines, or Content-Length is no
// number, because the next header follows it in the same line. The service refuses this part alone.
//
// Errors: InvalidInput "One of the request inputs is not valid." for a content type other than
// multipart/mixed, a boundary that is missing or longer than 70, a body without part or without final
// delimiter, a second change set, a query beside a change set or another query, and a part that cannot be read
// and is not in a change set.
Result<BatchRequest> parse_batch(std::string_view content_type, std::string_view body);

// Writes the body of the response, byte for byte as the service does: the parts of a change set within a
// `changesetresponse_<guid>` inside `batchresponse_<guid>`, the part of a query directly in the latter.
class BatchResponseWriter {
 public:
  // The boundaries are complete, with these prefixes; that of the change set is empty for a query. Reserves
  // `bytes`.
  BatchResponseWriter(std::string batch_boundary, std::string change_set_boundary, std::size_t bytes = 0);

  // Begins a part. Returns the text to which the caller appends status line, header lines (each with CRLF), an
  // empty line and the body.
  std::string& add_part();

  // Returns the whole body. Call this once, at the end.
  std::string finish();

 private:
  void end_part();

  const std::string batch_boundary_, change_set_boundary_;
  std::string delimiter_;  // of a part, with the headers that all parts have
  std::string out_;
  bool in_part_ = false;
};

}  // namespace rocktable
