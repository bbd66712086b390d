// Error answers: the status of every code, the body shapes, the headers of both layers.
#include "server/request/error_response.h"

#include <doctest/doctest.h>

#include <map>
#include <string>

namespace rocktable::TEST_FILE {
namespace {

constexpr std::string_view kServer = "Windows-Azure-Table/1.0 rocktable/" ROCKTABLE_VERSION;
const std::string kIds =
    "Server: " + std::string(kServer) + "\r\nx-ms-request-id: cfa38d1f-0002-0042-4a46-52d68f000000\r\n";
const std::string kVersion = "x-ms-version: 2019-02-02\r\n";
const std::string kDate = "Date: Wed, 26 May 2021 15:48:08 GMT\r\n";

RequestContext exchange_of(const Preferences& preferences = {}) {
  RequestContext context;
  context.request_id = "cfa38d1f-0002-0042-4a46-52d68f000000";
  context.received = parse_date_time("2021-05-26T15:48:08.49Z").value();
  context.version = "2019-02-02";
  context.preferences = preferences;
  return context;
}

RequestContext challenging() {
  RequestContext context = exchange_of();
  context.version = "2020-12-06";  // the first that asks for credentials
  return context;
}

TEST_CASE("Every code has the status that the service documents") {
  const std::map<int, std::vector<ErrorCode>> by_status = {
      {401, {ErrorCode::InvalidBearerToken, ErrorCode::NoAuthenticationInformation}},
      {403,
       {ErrorCode::AuthenticationFailed, ErrorCode::AuthorizationFailure, ErrorCode::AuthorizationPermissionMismatch,
        ErrorCode::AuthorizationProtocolMismatch, ErrorCode::AuthorizationResourceTypeMismatch,
        ErrorCode::AuthorizationServiceMismatch, ErrorCode::AuthorizationSourceIPMismatch,
        ErrorCode::CorsPreflightFailure, ErrorCode::InsufficientAccountPermissions}},
      {404,
       {ErrorCode::ContainerNotFound, ErrorCode::QueueNotFound, ErrorCode::ResourceNotFound, ErrorCode::TableNotFound}},
      {405, {ErrorCode::MethodNotAllowed}},
      {409, {ErrorCode::EntityAlreadyExists, ErrorCode::TableAlreadyExists, ErrorCode::TableBeingDeleted}},
      {412, {ErrorCode::ConditionNotMet, ErrorCode::UpdateConditionNotSatisfied}},
      {413, {ErrorCode::RequestBodyTooLarge}},
      {415,
       {ErrorCode::AtomFormatNotSupported, ErrorCode::JsonFormatNotSupported, ErrorCode::JsonVerboseFormatNotSupported,
        ErrorCode::MediaTypeNotSupported}},
      {500, {ErrorCode::InternalError, ErrorCode::OperationTimedOut}},
      {501, {ErrorCode::NotImplemented}},
      {503, {ErrorCode::ServerBusy}},
      {400,
       {ErrorCode::AccountRequiresHttps,
        ErrorCode::CommandsInBatchActOnDifferentPartitions,
        ErrorCode::DuplicatePropertiesSpecified,
        ErrorCode::EntityTooLarge,
        ErrorCode::HostInformationNotPresent,
        ErrorCode::InvalidAuthenticationInfo,
        ErrorCode::InvalidDuplicateRow,
        ErrorCode::InvalidHeaderValue,
        ErrorCode::InvalidInput,
        ErrorCode::InvalidQueryParameterValue,
        ErrorCode::InvalidResourceName,
        ErrorCode::InvalidUri,
        ErrorCode::InvalidXmlDocument,
        ErrorCode::InvalidXmlNodeValue,
        ErrorCode::MissingRequiredHeader,
        ErrorCode::MissingRequiredQueryParameter,
        ErrorCode::OutOfRangeInput,
        ErrorCode::OutOfRangeQueryParameterValue,
        ErrorCode::PropertiesNeedValue,
        ErrorCode::PropertyNameInvalid,
        ErrorCode::PropertyNameTooLong,
        ErrorCode::PropertyValueTooLarge,
        ErrorCode::RequestUrlFailedToParse,
        ErrorCode::TooManyProperties,
        ErrorCode::XMethodIncorrectCount,
        ErrorCode::XMethodIncorrectValue,
        ErrorCode::XMethodNotUsingPost}},
  };
  std::size_t codes = 0;
  for (const auto& [status, group] : by_status) {
    codes += group.size();
    for (const ErrorCode code : group) {
      CAPTURE(to_string(code));
      CHECK(status_of(code) == status);
    }
  }
  CHECK(codes == kErrorCodeCount);
}

TEST_CASE("Every status of an error has its reason phrase") {
  for (int i = 0; i < kErrorCodeCount; ++i) {
    const auto code = static_cast<ErrorCode>(i);
    CAPTURE(to_string(code));
    CHECK(status_of(code) >= 400);
    CHECK(reason_phrase(status_of(code)) != "Unknown");
  }
}

// Recorded from the service, as are the shapes below.
TEST_CASE("The table layer answers in JSON at the level asked for, in chunks, and names no code in its headers") {
  const Response response = error_response(
      ErrorCode::ResourceNotFound, exchange_of({MetadataLevel::None, true, Prefer::None}), ErrorSource::TableLayer);
  CHECK(response.status == 404);
  CHECK(response.reason.empty());
  CHECK(response.framing == Response::Framing::Chunked);
  CHECK(response.body == R"({"odata.error":{"code":"ResourceNotFound","message":{"lang":"en-US","value":)"
                         R"("The specified resource does not exist.\nRequestId:cfa38d1f-0002-0042-4a46-52d68f000000\n)"
                         R"(Time:2021-05-26T15:48:08.4900000Z"}}})");
  CHECK(response.fields == "Cache-Control: no-cache\r\nX-Content-Type-Options: nosniff\r\n" + kIds + kVersion + kDate +
                               "Content-Type: application/json;odata=nometadata;streaming=true;charset=utf-8\r\n");
}

TEST_CASE("The body is the same at every level, the content type is not") {
  for (const MetadataLevel level : {MetadataLevel::None, MetadataLevel::Minimal, MetadataLevel::Full}) {
    const Response response = error_response(ErrorCode::EntityAlreadyExists, exchange_of({level, true, Prefer::None}),
                                             ErrorSource::TableLayer);
    CHECK(response.body == json_error_body(ErrorCode::EntityAlreadyExists, exchange_of()));
    CHECK(response.fields.find("Content-Type: application/json;odata=" + std::string(to_string(level)) +
                               ";streaming=true;charset=utf-8\r\n") != std::string::npos);
  }
}

TEST_CASE("Preference-Applied stands in errors of the table layer, not in early ones") {
  const struct {
    Prefer prefer;
    std::string_view field;
  } cases[] = {
      {Prefer::None, ""},
      {Prefer::ReturnContent, "Preference-Applied: return-content\r\n"},
      {Prefer::ReturnNoContent, "Preference-Applied: return-no-content\r\n"},
  };
  for (const auto& c : cases) {
    const RequestContext context = exchange_of({MetadataLevel::Minimal, true, c.prefer});
    const Response late = error_response(ErrorCode::TableAlreadyExists, context, ErrorSource::TableLayer);
    CHECK(late.status == 409);
    CHECK(late.fields.starts_with("Cache-Control: no-cache\r\n" + std::string(c.field) +
                                  "X-Content-Type-Options: nosniff\r\n"));
    const Response early = error_response(ErrorCode::ConditionNotMet, context, ErrorSource::TableLayerEarly);
    CHECK(early.status == 412);
    CHECK(early.framing == Response::Framing::Chunked);
    CHECK(early.fields == "X-Content-Type-Options: nosniff\r\n" + kIds + kVersion + kDate +
                              "Content-Type: application/json;odata=minimalmetadata;streaming=true;charset=utf-8\r\n");
  }
}

TEST_CASE("Who did not ask the table layer for JSON gets XML with a default namespace") {
  const Response response = error_response(
      ErrorCode::ResourceNotFound, exchange_of({MetadataLevel::Minimal, false, Prefer::None}), ErrorSource::TableLayer);
  CHECK(response.status == 404);
  CHECK(response.reason.empty());
  CHECK(response.framing == Response::Framing::Chunked);
  CHECK(response.body ==
        "<?xml version=\"1.0\" encoding=\"utf-8\"?>"
        "<error xmlns=\"http://schemas.microsoft.com/ado/2007/08/dataservices/metadata\">"
        "<code>ResourceNotFound</code><message xml:lang=\"en-US\">The specified resource does not exist.\n"
        "RequestId:cfa38d1f-0002-0042-4a46-52d68f000000\nTime:2021-05-26T15:48:08.4900000Z</message></error>");
  CHECK(response.fields == "Cache-Control: no-cache\r\nX-Content-Type-Options: nosniff\r\n" + kIds + kVersion + kDate +
                               "Content-Type: application/xml;charset=utf-8\r\n");
}

TEST_CASE("The front end answers in XML with a prefix, by length; its reason phrase is the message") {
  const Response response = error_response(
      ErrorCode::InvalidXmlDocument, exchange_of({MetadataLevel::Minimal, false, Prefer::None}), ErrorSource::FrontEnd);
  CHECK(response.status == 400);
  CHECK(response.reason == "XML specified is not syntactically valid.");
  CHECK(response.framing == Response::Framing::Length);
  CHECK(response.body ==
        "<?xml version=\"1.0\" encoding=\"utf-8\"?>"
        "<m:error xmlns:m=\"http://schemas.microsoft.com/ado/2007/08/dataservices/metadata\">"
        "<m:code>InvalidXmlDocument</m:code><m:message xml:lang=\"en-US\">XML specified is not syntactically "
        "valid.\nRequestId:cfa38d1f-0002-0042-4a46-52d68f000000\nTime:2021-05-26T15:48:08.4900000Z</m:message>"
        "</m:error>");
  CHECK(response.fields ==
        "Content-Type: application/xml\r\nx-ms-error-code: InvalidXmlDocument\r\n" + kIds + kVersion + kDate);
}

TEST_CASE("A failed authentication answers in JSON where that was asked for, and has no version") {
  const Response response =
      error_response(ErrorCode::AuthenticationFailed, exchange_of({MetadataLevel::Full, true, Prefer::ReturnContent}),
                     ErrorSource::FrontEnd);
  CHECK(response.status == 403);
  CHECK(response.reason ==
        "Server failed to authenticate the request. Make sure the value of Authorization header is formed "
        "correctly including the signature.");
  CHECK(response.framing == Response::Framing::Length);
  CHECK(response.body ==
        R"({"odata.error":{"code":"AuthenticationFailed","message":{"lang":"en-US","value":)"
        R"("Server failed to authenticate the request. Make sure the value of Authorization header is formed )"
        R"(correctly including the signature.\nRequestId:cfa38d1f-0002-0042-4a46-52d68f000000\n)"
        R"(Time:2021-05-26T15:48:08.4900000Z"}}})");
  CHECK(response.fields ==
        "Content-Type: application/json\r\nx-ms-error-code: AuthenticationFailed\r\n" + kIds + kDate);
}

TEST_CASE("Who brings no credentials is told where to get them") {
  const Response response =
      error_response(ErrorCode::NoAuthenticationInformation, challenging(), ErrorSource::FrontEnd);
  CHECK(response.status == 401);
  CHECK(response.fields ==
        "Content-Type: application/json\r\nx-ms-error-code: NoAuthenticationInformation\r\n"
        "WWW-Authenticate: Bearer "
        "authorization_uri=https://login.microsoftonline.com/00000000-0000-0000-0000-000000000000/oauth2/"
        "authorize "
        "resource_id=https://storage.azure.com\r\n" +
            kIds + "x-ms-version: 2020-12-06\r\n" + kDate);
}

// Recorded with versions 2016-05-31 and 2019-07-07.
TEST_CASE("Before version 2020-12-06 there is no challenge") {
  RequestContext context = exchange_of();
  for (const std::string_view version : {"2016-05-31", "2020-10-02"}) {
    context.version = version;
    const Response hidden = error_response(ErrorCode::NoAuthenticationInformation, context, ErrorSource::FrontEnd);
    CHECK(hidden.status == 404);
    CHECK(hidden.reason == "The specified resource does not exist.");
    CHECK(hidden.error == ErrorCode::ResourceNotFound);
    CHECK(hidden.fields ==
          "Content-Type: application/json\r\n" + kIds + "x-ms-version: " + context.version + "\r\n" + kDate);
    const Response refused = error_response(ErrorCode::InvalidBearerToken, context, ErrorSource::FrontEnd);
    CHECK(refused.status == 403);
    CHECK(refused.fields ==
          "Content-Type: application/json\r\nx-ms-error-code: AuthenticationFailed\r\n" + kIds + kDate);
  }
}

// Recorded: a table in the path of the service properties; a path that leads nowhere.
TEST_CASE("Where the front end finds no resource, the answer has no version") {
  for (const ErrorCode code : {ErrorCode::InvalidUri, ErrorCode::InvalidQueryParameterValue}) {
    const Response response = error_response(code, exchange_of(), ErrorSource::Router);
    CHECK(response.status == 400);
    CHECK(response.fields ==
          "Content-Type: application/json\r\nx-ms-error-code: " + std::string(to_string(code)) + "\r\n" + kIds + kDate);
  }
}

TEST_CASE("What the readers of bodies and paths refuse is early") {
  for (const ErrorCode code : {ErrorCode::InvalidInput, ErrorCode::TableNotFound, ErrorCode::PropertyNameInvalid,
                               ErrorCode::MediaTypeNotSupported})
    CHECK(is_early(code));
  for (const ErrorCode code :
       {ErrorCode::PropertiesNeedValue, ErrorCode::EntityAlreadyExists, ErrorCode::TableAlreadyExists,
        ErrorCode::ResourceNotFound, ErrorCode::UpdateConditionNotSatisfied, ErrorCode::InvalidDuplicateRow,
        ErrorCode::TooManyProperties, ErrorCode::PropertyNameTooLong, ErrorCode::AuthorizationFailure,
        ErrorCode::InvalidResourceName, ErrorCode::OutOfRangeInput})
    CHECK_FALSE(is_early(code));
}

// As seen in reports of users whose tokens had expired, or were for another audience.
TEST_CASE("Whose token does not fit is told so, too, without a version") {
  const Response response = error_response(ErrorCode::InvalidBearerToken, challenging(), ErrorSource::FrontEnd);
  CHECK(response.status == 401);
  CHECK(response.reason ==
        "Server failed to authenticate the request. Please refer to the information in the www-authenticate "
        "header.");
  CHECK(response.fields ==
        "Content-Type: application/json\r\nx-ms-error-code: InvalidAuthenticationInfo\r\n"
        "WWW-Authenticate: Bearer "
        "authorization_uri=https://login.microsoftonline.com/00000000-0000-0000-0000-000000000000/oauth2/"
        "authorize "
        "resource_id=https://storage.azure.com\r\n" +
            kIds + kDate);
}

TEST_CASE("The client's request id is echoed in errors of both layers") {
  RequestContext context = exchange_of();
  context.client_request_id = "mine";
  for (const ErrorSource source : {ErrorSource::TableLayer, ErrorSource::TableLayerEarly, ErrorSource::FrontEnd}) {
    const Response response = error_response(ErrorCode::InvalidInput, context, source);
    CHECK(response.fields.find("\r\nx-ms-client-request-id: mine\r\n") != std::string::npos);
  }
}

// Messages quote what clients sent.
TEST_CASE("A message cannot break out of its document, nor out of the status line") {
  const Error error{ErrorCode::InvalidInput, "a \"b\" <c> & d\r\nSet-Cookie: x\x01\xC3\xA9"};
  const Response json = error_response(error, exchange_of(), ErrorSource::FrontEnd);
  CHECK(json.reason == "a \"b\" <c> & d  Set-Cookie: x   ");
  CHECK(json.body.find(R"("value":"a \"b\" <c> & d\r\nSet-Cookie: x\u0001)") != std::string::npos);
  const Response xml =
      error_response(error, exchange_of({MetadataLevel::Minimal, false, Prefer::None}), ErrorSource::FrontEnd);
  CHECK(xml.body.find(">a \"b\" &lt;c&gt; &amp; d") != std::string::npos);
  CHECK(xml.body.find("<c>") == std::string::npos);
}

}  // namespace
}  // namespace rocktable::TEST_FILE
