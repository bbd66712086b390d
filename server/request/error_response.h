// Errors as answers: status by code, and the service's body shapes.
#pragma once

#include <string>

#include "odata/error.h"
#include "server/request/request_context.h"
#include "server/request/response.h"

namespace rocktable {

// The HTTP status that the service gives a code.
int status_of(ErrorCode code);

// Who refuses: the two layers of the service have different headers and bodies.
enum class ErrorSource {
  TableLayer,       // the operation itself
  TableLayerEarly,  // before the operation was looked at (syntax, headers): neither Cache-Control nor
                    // Preference-Applied
  FrontEnd,         // ?comp=..., authentication
};

// The document of an error, with request id and time in its message.
std::string json_error_body(const Error& error, const RequestContext& context);

Response error_response(const Error& error, const RequestContext& context, ErrorSource source);

}  // namespace rocktable
