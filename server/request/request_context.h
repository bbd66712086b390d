// What belongs to one request and its answer, whatever the operation.
#pragma once

#include <string>

#include "odata/date_time.h"
#include "server/request/caller.h"
#include "server/request/operation.h"
#include "server/request/request.h"
#include "server/request/response.h"
#include "server/request/target.h"

namespace rocktable {

struct RequestContext {
  std::string request_id;
  DateTime received;
  StorageService service = StorageService::Table;
  std::string version;            // x-ms-version of the answer
  std::string client_request_id;  // echoed; empty: none
  Target target;
  Caller caller;
  Preferences preferences;
  bool explains = false;  // a refusal of access says why (ServiceException::explanation)
};

// `0a1b2c3d-...`: request ids and batch boundaries.
std::string new_guid();

// An answer with the headers that every answer of the table layer carries.
Response table_layer_response(const RequestContext& context, int status);

// The answers of the front end (?comp=...): without body, or with a document.
Response front_end_response(const RequestContext& context, int status);
Response xml_response(const RequestContext& context, std::string_view document);

// The headers of all answers, of the front end (?comp=..., authentication) as well: Server, ids, version,
// Date.
void add_common_fields(Response& response, const RequestContext& context);

// Preference-Applied, where the request had a preference.
void append_preference_applied(std::string& fields, const Preferences& preferences);

// A JSON body at the client's metadata level.
void set_json_body(Response& response, const RequestContext& context, std::string body);
std::string_view json_content_type(MetadataLevel level);

// The format of answers about a table (payload_writer.h). Views of the context and of `table`. The parts of a batch
// have levels of their own.
PayloadFormat payload_format(const RequestContext& context, std::string_view table);
PayloadFormat payload_format(const RequestContext& context, std::string_view table, MetadataLevel level);

}  // namespace rocktable
