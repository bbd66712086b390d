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
  TableLayerEarly,  // before it parsed the operation (syntax, headers): neither Cache-Control nor
                    // Preference-Applied
  FrontEnd,         // ?comp=..., authentication
};

// The JSON document of an error. Its message ends with request id and time.
std::string json_error_body(const Error& error, const RequestContext& context);

Response error_response(const Error& error, const RequestContext& context, ErrorSource source);

}  // namespace rocktable
