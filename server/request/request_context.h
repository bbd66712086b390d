// The data of one request and its response that do not depend on the operation.
#pragma once

#include <string>

#include "base/date_time.h"
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
  std::string version;            // x-ms-version of the response
  std::string client_request_id;  // echoed; empty: none
  Target target;
  Caller caller;
  Preferences preferences;
  bool explains = false;  // refusals of access carry an explanation (ServiceException::explanation)
};

// `0a1b2c3d-...`, for request ids and batch boundaries.
std::string new_guid();

// A response with the headers of every response of the table layer.
Response table_layer_response(const RequestContext& context, int status);

// Responses of the front end (?comp=...), without body or with a document.
Response front_end_response(const RequestContext& context, int status);
Response xml_response(const RequestContext& context, std::string_view document);

// Adds the headers of all responses, also of the front end (?comp=..., authentication): Server, ids, version, Date.
void add_common_fields(Response& response, const RequestContext& context);

// Adds Preference-Applied if the request had a preference.
void append_preference_applied(std::string& fields, const Preferences& preferences);

// Sets a JSON body of the client's metadata level.
void set_json_body(Response& response, const RequestContext& context, std::string body);
std::string_view json_content_type(MetadataLevel level);

// The format of payloads about a table (payload_writer.h). Holds views of the context and of `table`. Each part of a
// batch has a metadata level of its own.
PayloadFormat payload_format(const RequestContext& context, std::string_view table);
PayloadFormat payload_format(const RequestContext& context, std::string_view table, MetadataLevel level);

}  // namespace rocktable
