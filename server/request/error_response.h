// Errors as responses: the status of each code, and the service's forms of error documents.
#pragma once

#include <string>

#include "odata/error.h"
#include "server/request/request_context.h"
#include "server/request/response.h"

namespace rocktable {

// The HTTP status of a code.
int status_of(ErrorCode code);

// The layer of the service that refuses. It decides the headers and the form of the document.
enum class ErrorSource {
  TableLayer,       // the operation itself
  TableLayerEarly,  // before it parsed the operation (syntax, headers), or see is_early(): neither Cache-Control
                    // nor Preference-Applied
  FrontEnd,         // ?comp=..., authentication
  Router,           // the front end, which finds no resource for the URL: like FrontEnd, without x-ms-version
};

// Whether the table layer refuses with this code before it looks at the entity: when it reads the body or looks up the
// table.
bool is_early(ErrorCode code);

// The JSON document of an error. Its message ends with request id and time.
std::string json_error_body(const Error& error, const RequestContext& context);

// The table layer's document in XML.
std::string xml_error_body(const Error& error, const RequestContext& context);
inline constexpr std::string_view kXmlErrorType = "application/xml;charset=utf-8";

Response error_response(const Error& error, const RequestContext& context, ErrorSource source);

// 400 InvalidXmlNodeValue, which names the value. The service sends the value as the name of the node, too.
Response refused_xml_value(const RequestContext& context, const std::string& value);

}  // namespace rocktable
