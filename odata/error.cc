// The table of error codes, and the service's sentence for each.
#include "odata/error.h"

#include <array>
#include <cstddef>

namespace rocktable {
namespace {

struct CodeText {
  ErrorCode code;
  std::string_view name;
  std::string_view message;
};

// In the order of the enumerators, so that a code is an index into the table. If the documentation and the
// service word a message differently, this table has the service's words. This includes the misspelling in
// InvalidResourceName and the missing full stop of MediaTypeNotSupported.
constexpr std::array<CodeText, kErrorCodeCount> kCodes{{
    {ErrorCode::AccountRequiresHttps, "AccountRequiresHttps", "The account being accessed does not support http."},
    {ErrorCode::AtomFormatNotSupported, "AtomFormatNotSupported", "Atom format is not supported."},
    {ErrorCode::AuthenticationFailed, "AuthenticationFailed",
     "Server failed to authenticate the request. Make sure the value of Authorization header is formed "
     "correctly "
     "including the signature."},
    {ErrorCode::AuthorizationFailure, "AuthorizationFailure",
     "This request is not authorized to perform this operation."},
    {ErrorCode::AuthorizationPermissionMismatch, "AuthorizationPermissionMismatch",
     "This request is not authorized to perform this operation using this permission."},
    {ErrorCode::AuthorizationProtocolMismatch, "AuthorizationProtocolMismatch",
     "This request is not authorized to perform this operation using this protocol."},
    {ErrorCode::AuthorizationResourceTypeMismatch, "AuthorizationResourceTypeMismatch",
     "This request is not authorized to perform this operation using this resource type."},
    {ErrorCode::AuthorizationServiceMismatch, "AuthorizationServiceMismatch",
     "This request is not authorized to perform this operation using this service."},
    {ErrorCode::AuthorizationSourceIPMismatch, "AuthorizationSourceIPMismatch",
     "This request is not authorized to perform this operation using this source IP."},
    {ErrorCode::CommandsInBatchActOnDifferentPartitions, "CommandsInBatchActOnDifferentPartitions",
     "All commands in a batch must operate on same entity group."},
    {ErrorCode::ConditionNotMet, "ConditionNotMet",
     "The condition specified using HTTP conditional header(s) is not met."},
    {ErrorCode::ContainerNotFound, "ContainerNotFound", "The specified container does not exist."},
    {ErrorCode::CorsPreflightFailure, "CorsPreflightFailure",
     "CORS not enabled or no matching rule found for this request."},
    {ErrorCode::DuplicatePropertiesSpecified, "DuplicatePropertiesSpecified",
     "A property is specified more than one time."},
    {ErrorCode::EntityAlreadyExists, "EntityAlreadyExists", "The specified entity already exists."},
    {ErrorCode::EntityTooLarge, "EntityTooLarge", "The entity is larger than the maximum allowed size (1MB)."},
    {ErrorCode::HostInformationNotPresent, "HostInformationNotPresent",
     "The required host information is not present in the request. You must send a non-empty Host header or "
     "include "
     "the absolute URI in the request line."},
    {ErrorCode::InsufficientAccountPermissions, "InsufficientAccountPermissions", "Write operations are not allowed."},
    {ErrorCode::InternalError, "InternalError",
     "Server encountered an internal error. Please try again after some time."},
    {ErrorCode::InvalidAuthenticationInfo, "InvalidAuthenticationInfo",
     "Authentication information is not given in the correct format. Check the value of Authorization "
     "header."},
    {ErrorCode::InvalidBearerToken, "InvalidAuthenticationInfo",
     "Server failed to authenticate the request. Please refer to the information in the www-authenticate "
     "header."},
    {ErrorCode::InvalidDuplicateRow, "InvalidDuplicateRow",
     "The batch request contains multiple changes with same row key. An entity can appear only once in a "
     "batch "
     "request."},
    {ErrorCode::InvalidHeaderValue, "InvalidHeaderValue",
     "The value for one of the HTTP headers is not in the correct format."},
    {ErrorCode::InvalidInput, "InvalidInput", "One of the request inputs is not valid."},
    {ErrorCode::InvalidQueryParameterValue, "InvalidQueryParameterValue",
     "Value for one of the query parameters specified in the request URI is invalid."},
    {ErrorCode::InvalidResourceName, "InvalidResourceName", "The specifed resource name contains invalid characters."},
    {ErrorCode::InvalidUri, "InvalidUri", "The requested URI does not represent any resource on the server."},
    {ErrorCode::InvalidXmlDocument, "InvalidXmlDocument", "XML specified is not syntactically valid."},
    {ErrorCode::InvalidXmlNodeValue, "InvalidXmlNodeValue",
     "The value for one of the XML nodes is not in the correct format."},
    {ErrorCode::JsonFormatNotSupported, "JsonFormatNotSupported", "JSON format is not supported."},
    {ErrorCode::JsonVerboseFormatNotSupported, "JsonVerboseFormatNotSupported",
     "JSON verbose format is not supported."},
    {ErrorCode::MediaTypeNotSupported, "MediaTypeNotSupported", "None of the provided media types are supported"},
    {ErrorCode::MethodNotAllowed, "MethodNotAllowed", "The requested method is not allowed on the specified resource."},
    {ErrorCode::MissingRequiredHeader, "MissingRequiredHeader",
     "An HTTP header that's mandatory for this request is not specified."},
    {ErrorCode::MissingRequiredQueryParameter, "MissingRequiredQueryParameter",
     "A required query parameter was not specified for this request."},
    {ErrorCode::NoAuthenticationInformation, "NoAuthenticationInformation",
     "Server failed to authenticate the request. Please refer to the information in the www-authenticate "
     "header."},
    {ErrorCode::NotImplemented, "NotImplemented",
     "The requested operation is not implemented on the specified resource."},
    {ErrorCode::OperationTimedOut, "OperationTimedOut",
     "The operation could not be completed within the permitted time."},
    {ErrorCode::OutOfRangeInput, "OutOfRangeInput", "One of the request inputs is out of range."},
    {ErrorCode::OutOfRangeQueryParameterValue, "OutOfRangeQueryParameterValue",
     "A query parameter specified in the request URI is outside the permissible range."},
    {ErrorCode::PropertiesNeedValue, "PropertiesNeedValue",
     "The values are not specified for all properties in the entity."},
    {ErrorCode::PropertyNameInvalid, "PropertyNameInvalid", "The property name is invalid."},
    {ErrorCode::PropertyNameTooLong, "PropertyNameTooLong",
     "The property name exceeds the maximum allowed length (255)."},
    {ErrorCode::PropertyValueTooLarge, "PropertyValueTooLarge",
     "The property value exceeds the maximum allowed size (64KB). If the property value is a string, it is "
     "UTF-16 "
     "encoded and the maximum number of characters should be 32K or less."},
    {ErrorCode::QueueNotFound, "QueueNotFound", "The specified queue does not exist."},
    {ErrorCode::RequestBodyTooLarge, "RequestBodyTooLarge",
     "The request body is too large and exceeds the maximum permissible limit."},
    {ErrorCode::RequestUrlFailedToParse, "RequestUrlFailedToParse", "The url in the request could not be parsed."},
    {ErrorCode::ResourceNotFound, "ResourceNotFound", "The specified resource does not exist."},
    {ErrorCode::ServerBusy, "ServerBusy",
     "The server is currently unable to receive requests. Please retry your request."},
    {ErrorCode::TableAlreadyExists, "TableAlreadyExists", "The table specified already exists."},
    {ErrorCode::TableBeingDeleted, "TableBeingDeleted", "The specified table is being deleted. Try operation later."},
    {ErrorCode::TableNotFound, "TableNotFound", "The table specified does not exist."},
    {ErrorCode::TooManyProperties, "TooManyProperties",
     "The entity contains more properties than allowed. Each entity can include up to 252 properties to "
     "store data. "
     "Each entity also has 3 system properties."},
    {ErrorCode::UpdateConditionNotSatisfied, "UpdateConditionNotSatisfied",
     "The update condition specified in the request was not satisfied."},
    {ErrorCode::XMethodIncorrectCount, "XMethodIncorrectCount", "More than one X-HTTP-Method is specified."},
    {ErrorCode::XMethodIncorrectValue, "XMethodIncorrectValue", "The specified X-HTTP-Method is invalid."},
    {ErrorCode::XMethodNotUsingPost, "XMethodNotUsingPost",
     "The request uses X-HTTP-Method with an HTTP verb other than POST."},
}};

constexpr bool in_order_of_enumerators() {
  for (std::size_t i = 0; i < kCodes.size(); ++i) {
    if (static_cast<std::size_t>(kCodes[i].code) != i || kCodes[i].message.empty()) return false;
  }
  return true;
}
static_assert(in_order_of_enumerators());

}  // namespace

std::string_view to_string(ErrorCode code) { return kCodes[static_cast<std::size_t>(code)].name; }

std::string_view default_message(ErrorCode code) { return kCodes[static_cast<std::size_t>(code)].message; }

void refuse(Error error) { throw ServiceException(std::move(error)); }

void throw_exception_from_error(const Error& error, const boost::source_location&) { throw ServiceException(error); }

}  // namespace rocktable
