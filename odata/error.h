// The vocabulary of refusals: an error is a code of the service and a message. The HTTP status is a function
// of the code and is looked up where answers are rendered (server/request/error_response.cc).
#pragma once

#include <boost/system/result.hpp>
#include <exception>
#include <string>
#include <string_view>
#include <utility>

namespace rocktable {

// The service's error codes, spelled as on the wire; but one: it calls a bearer token whose claims do not fit
// InvalidAuthenticationInfo, too, with another status and sentence.
// Source: learn.microsoft.com/rest/api/storageservices/table-service-error-codes and
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
  TableNotFound,
  TooManyProperties,
  UpdateConditionNotSatisfied,
  XMethodIncorrectCount,
  XMethodIncorrectValue,
  XMethodNotUsingPost,
};

inline constexpr int kErrorCodeCount = static_cast<int>(ErrorCode::XMethodNotUsingPost) + 1;

// The code as the wire spells it.
std::string_view to_string(ErrorCode code);

// The service's own sentence for a code: the message of most errors.
std::string_view default_message(ErrorCode code);

struct Error {
  ErrorCode code;
  std::string message;

  // What Result::error() answers where there is none; never sent.
  Error() : Error(ErrorCode::InternalError) {}
  // An error with the service's own sentence.
  Error(ErrorCode what)
      : code(what), message(default_message(what)) {}  // NOLINT(google-explicit-constructor)
  Error(ErrorCode what, std::string text) : code(what), message(std::move(text)) {}

  bool operator==(const Error&) const = default;
};

// What a function returns whose input a client wrote: the value, or why not.
template <class T>
using Result = boost::system::result<T, Error>;

// An Error on its way up: thrown by Result::value(), caught in one place (server/service.cc).
class ServiceException : public std::exception {
 public:
  explicit ServiceException(Error error) : error_(std::move(error)) {}
  const Error& error() const { return error_; }
  const char* what() const noexcept override { return error_.message.c_str(); }

 private:
  Error error_;
};

// Found by argument-dependent lookup from Result::value().
[[noreturn]] void throw_exception_from_error(const Error& error, const boost::source_location& where);

}  // namespace rocktable
