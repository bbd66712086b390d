// Errors that a client can cause: a code of the service and a message. The HTTP status is a function of the
// code; server/request/error_response.cc looks it up.
#pragma once

#include <boost/system/result.hpp>
#include <exception>
#include <string>
#include <string_view>
#include <utility>

namespace rocktable {

// The service's error codes, spelled as on the wire, with one exception: InvalidBearerToken. The service
// sends InvalidAuthenticationInfo for a bearer token whose claims do not match, too, but with another status
// and sentence. Source: learn.microsoft.com/rest/api/storageservices/table-service-error-codes and
// .../common-rest-api-error-codes
enum class ErrorCode {
  AccountRequiresHttps,
  AtomFormatNotSupported,
  AuthenticationFailed,
  AuthorizationFailure,
  AuthorizationPermissionMismatch,
  AuthorizationProtocolMismatch,
  AuthorizationResourceTypeMismatch,
  AuthorizationServiceMismatch,
  AuthorizationSourceIPMismatch,
  CommandsInBatchActOnDifferentPartitions,
  ConditionNotMet,
  ContainerNotFound,
  CorsPreflightFailure,
  DuplicatePropertiesSpecified,
  EntityAlreadyExists,
  EntityTooLarge,
  HostInformationNotPresent,
  InsufficientAccountPermissions,
  InternalError,
  InvalidAuthenticationInfo,
  InvalidBearerToken,
  InvalidDuplicateRow,
  InvalidHeaderValue,
  InvalidInput,
  InvalidQueryParameterValue,
  InvalidResourceName,
  InvalidUri,
  InvalidXmlDocument,
  InvalidXmlNodeValue,
  JsonFormatNotSupported,
  JsonVerboseFormatNotSupported,
  MediaTypeNotSupported,
  MethodNotAllowed,
  MissingRequiredHeader,
  MissingRequiredQueryParameter,
  NoAuthenticationInformation,
  NotImplemented,
  OperationTimedOut,
  OutOfRangeInput,
  OutOfRangeQueryParameterValue,
  PropertiesNeedValue,
  PropertyNameInvalid,
  PropertyNameTooLong,
  PropertyValueTooLarge,
  QueueNotFound,
  RequestBodyTooLarge,
  RequestUrlFailedToParse,
  ResourceNotFound,
  ServerBusy,
  TableAlreadyExists,
  TableBeingDeleted,
  TableNotFound,
  TooManyProperties,
  UpdateConditionNotSatisfied,
  XMethodIncorrectCount,
  XMethodIncorrectValue,
  XMethodNotUsingPost,
};

inline constexpr int kErrorCodeCount = static_cast<int>(ErrorCode::XMethodNotUsingPost) + 1;

// Returns the code as it is sent.
std::string_view to_string(ErrorCode code);

// Returns the service's own sentence for a code. Most errors have it as their message.
std::string_view default_message(ErrorCode code);

struct Error {
  ErrorCode code;
  std::string message;

  // Result::error() returns this if the Result has a value. It is never sent.
  Error() : Error(ErrorCode::InternalError) {}
  // Creates an error with the service's own sentence.
  Error(ErrorCode what) : code(what), message(default_message(what)) {}  // NOLINT(google-explicit-constructor)
  Error(ErrorCode what, std::string text) : code(what), message(std::move(text)) {}

  bool operator==(const Error&) const = default;
};

// The return type of functions that read input of clients: the value, or the reason for the refusal.
template <class T>
using Result = boost::system::result<T, Error>;

// Carries an Error up the stack. Result::value() throws it; server/service.cc makes an error document of it.
class ServiceException : public std::exception {
 public:
  // `explanation` says more to a person who debugs the client. It is not part of the answer.
  explicit ServiceException(Error error, std::string explanation = {})
      : error_(std::move(error)), explanation_(std::move(explanation)) {}
  const Error& error() const { return error_; }
  const std::string& explanation() const { return explanation_; }
  const char* what() const noexcept override { return error_.message.c_str(); }

 private:
  Error error_;
  std::string explanation_;
};

// Throws a ServiceException.
[[noreturn]] void refuse(Error error);

// Result::value() finds this function by argument-dependent lookup.
[[noreturn]] void throw_exception_from_error(const Error& error, const boost::source_location& where);

}  // namespace rocktable
