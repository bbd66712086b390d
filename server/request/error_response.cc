#include "server/request/error_response.h"

#include <utility>
#include <vector>

#include "server/request/xml.h"

namespace rocktable {
namespace {

constexpr const char* kMetadataNamespace = "http://schemas.microsoft.com/ado/2007/08/dataservices/metadata";

// The emulator has no tenant.
constexpr std::string_view kChallenge =
    "Bearer "
    "authorization_uri=https://login.microsoftonline.com/00000000-0000-0000-0000-000000000000/oauth2/"
    "authorize "
    "resource_id=https://storage.azure.com";

// The service's sentence, then request id and time.
std::string full_message(const Error& error, const RequestContext& context) {
  return error.message + "\nRequestId:" + context.request_id + "\nTime:" + to_string_7(context.received);
}

// XML cannot represent most control characters.
std::string xml_text(std::string text) {
  for (char& c : text)
    if (static_cast<unsigned char>(c) < ' ' && c != '\n' && c != '\t') c = '?';
  return text;
}

using XmlNodes = std::vector<std::pair<const char*, std::string>>;

// `prefix` is `m:` for the front end, whose namespace has that prefix; the table layer's is the default one.
std::string xml_document_of(const Error& error, const RequestContext& context, const std::string& prefix,
                            const XmlNodes& more = {}) {
  pugi::xml_document document = new_xml();
  auto root = document.append_child((prefix + "error").c_str());
  root.append_attribute(prefix.empty() ? "xmlns" : "xmlns:m") = kMetadataNamespace;
  root.append_child((prefix + "code").c_str()).text() = std::string(to_string(error.code)).c_str();
  auto message = root.append_child((prefix + "message").c_str());
  message.append_attribute("xml:lang") = "en-US";
  message.text() = xml_text(full_message(error, context)).c_str();
  for (const auto& [name, text] : more) root.append_child(name).text() = xml_text(text).c_str();
  return render_xml(document);
}

// The form of the blob and queue service, which send a byte order mark before all documents.
std::string other_service_error_body(const Error& error, const RequestContext& context) {
  pugi::xml_document document = new_xml();
  auto root = document.append_child("Error");
  root.append_child("Code").text() = std::string(to_string(error.code)).c_str();
  root.append_child("Message").text() = xml_text(full_message(error, context)).c_str();
  return "\xEF\xBB\xBF" + render_xml(document);
}

std::string front_end_error_body(const Error& error, const RequestContext& context, bool json) {
  if (context.service != StorageService::Table) return other_service_error_body(error, context);
  return json ? json_error_body(error, context) : xml_document_of(error, context, "m:");
}

// A reason phrase must be one line of printable ASCII. A message can quote any bytes.
std::string reason_of(const std::string& message) {
  std::string out;
  for (const char c : message) out += c >= ' ' && c <= '~' ? c : ' ';
  return out;
}

// Older versions of the Table service do not ask for credentials; the Blob and the Queue service do from 2019-12-12 on.
// Source: learn.microsoft.com/rest/api/storageservices/authorize-with-azure-active-directory#bearer-challenge
constexpr std::string_view kFirstVersionWithChallenge = "2020-12-06";

bool is_challenged(const RequestContext& context) {
  return context.service != StorageService::Table || context.version >= kFirstVersionWithChallenge;
}

// The service refuses with these codes before it reads the version.
bool is_unversioned(ErrorCode code) {
  return code == ErrorCode::AuthenticationFailed || code == ErrorCode::InvalidBearerToken;
}

// What older versions answer to a request without credentials. `code` is that of newer ones.
bool is_hidden(ErrorCode code, const RequestContext& context) {
  return code == ErrorCode::NoAuthenticationInformation && !is_challenged(context);
}

Error front_end_refusal(const Error& error, const RequestContext& context) {
  if (is_hidden(error.code, context)) return ErrorCode::ResourceNotFound;
  if (error.code == ErrorCode::InvalidBearerToken && !is_challenged(context)) return ErrorCode::AuthenticationFailed;
  return error;
}

Response front_end_error(const Error& cause, const RequestContext& context, ErrorSource source) {
  const Error error = front_end_refusal(cause, context);
  Response response;
  response.error = error.code;
  response.status = status_of(error.code);
  response.reason = reason_of(error.message);
  const bool json = context.preferences.json && context.service == StorageService::Table;
  response.body = front_end_error_body(error, context, json);
  response.add("Content-Type", json ? "application/json" : "application/xml");
  if (!is_hidden(cause.code, context)) response.add("x-ms-error-code", to_string(error.code));
  if (response.status == 401) response.add("WWW-Authenticate", kChallenge);
  if (source == ErrorSource::Router || is_unversioned(error.code)) {
    RequestContext unversioned = context;
    unversioned.version.clear();
    add_common_fields(response, unversioned);
  } else {
    add_common_fields(response, context);
  }
  return response;
}

}  // namespace

int status_of(ErrorCode code) {
  switch (code) {
    case ErrorCode::InvalidBearerToken:
    case ErrorCode::NoAuthenticationInformation:
      return 401;
    case ErrorCode::AuthenticationFailed:
    case ErrorCode::AuthorizationFailure:
    case ErrorCode::AuthorizationPermissionMismatch:
    case ErrorCode::AuthorizationProtocolMismatch:
    case ErrorCode::AuthorizationResourceTypeMismatch:
    case ErrorCode::AuthorizationServiceMismatch:
    case ErrorCode::AuthorizationSourceIPMismatch:
    case ErrorCode::CorsPreflightFailure:
    case ErrorCode::InsufficientAccountPermissions:
      return 403;
    case ErrorCode::ContainerNotFound:
    case ErrorCode::QueueNotFound:
    case ErrorCode::ResourceNotFound:
    case ErrorCode::TableNotFound:
      return 404;
    case ErrorCode::MethodNotAllowed:
      return 405;
    case ErrorCode::EntityAlreadyExists:
    case ErrorCode::TableAlreadyExists:
    case ErrorCode::TableBeingDeleted:
      return 409;
    case ErrorCode::ConditionNotMet:
    case ErrorCode::UpdateConditionNotSatisfied:
      return 412;
    case ErrorCode::RequestBodyTooLarge:
      return 413;
    case ErrorCode::AtomFormatNotSupported:
    case ErrorCode::JsonFormatNotSupported:
    case ErrorCode::JsonVerboseFormatNotSupported:
    case ErrorCode::MediaTypeNotSupported:
      return 415;
    case ErrorCode::InternalError:
    case ErrorCode::OperationTimedOut:
      return 500;
    case ErrorCode::NotImplemented:
      return 501;
    case ErrorCode::ServerBusy:
      return 503;
    default:
      return 400;
  }
}

std::string json_error_body(const Error& error, const RequestContext& context) {
  std::string out;
  write_error(out, to_string(error.code), full_message(error, context));
  return out;
}

std::string xml_error_body(const Error& error, const RequestContext& context) {
  return xml_document_of(error, context, "");
}

bool is_early(ErrorCode code) {
  switch (code) {
    case ErrorCode::InvalidInput:
    case ErrorCode::MediaTypeNotSupported:
    case ErrorCode::PropertyNameInvalid:
    case ErrorCode::TableNotFound:
      return true;
    default:
      return false;
  }
}

Response error_response(const Error& error, const RequestContext& context, ErrorSource source) {
  const bool front_end = source == ErrorSource::FrontEnd || source == ErrorSource::Router;
  if (front_end || context.service != StorageService::Table) return front_end_error(error, context, source);
  Response response;
  response.error = error.code;
  response.status = status_of(error.code);
  response.framing = Response::Framing::Chunked;
  if (source == ErrorSource::TableLayer) {
    response.add("Cache-Control", "no-cache");
    append_preference_applied(response.fields, context.preferences);
  }
  response.add("X-Content-Type-Options", "nosniff");
  add_common_fields(response, context);
  if (context.preferences.json) {
    set_json_body(response, context, json_error_body(error, context));
  } else {
    response.add("Content-Type", kXmlErrorType);
    response.body = xml_error_body(error, context);
  }
  return response;
}

Response refused_xml_value(const RequestContext& context, const std::string& value) {
  const Error error = ErrorCode::InvalidXmlNodeValue;
  Response response = front_end_error(error, context, ErrorSource::FrontEnd);
  if (!context.preferences.json)
    response.body = xml_document_of(error, context, "m:", {{"XmlNodeName", value}, {"XmlNodeValue", value}});
  return response;
}

}  // namespace rocktable
