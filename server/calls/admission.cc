#include "server/calls/admission.h"

#include <spdlog/spdlog.h>

#include "server/access/page_checks.h"
#include "server/access/refusal_explanation.h"
#include "server/request/request_headers.h"

namespace rocktable {
namespace {

// Whether only the front end refuses with this code, whoever asks for it: a fault rule can do so later.
bool is_of_authentication(ErrorCode code) {
  return code == ErrorCode::AuthenticationFailed || code == ErrorCode::InvalidAuthenticationInfo ||
         code == ErrorCode::InvalidBearerToken || code == ErrorCode::NoAuthenticationInformation;
}

}  // namespace

Admission::Admission(TableService& service, const Request& request) : service_(service), request_(request) {
  context_.request_id = new_guid();
  context_.received = service.now();
  context_.version = newest_version();
  context_.service = request.service;
  context_.explains = service.options.explain_auth || service.recent_requests.wants_explanation();
}

QueryParameters Admission::read_head(bool product_style) {
  const Headers& headers = request_.headers;
  context_.client_request_id = client_request_id_of(headers);
  if (headers.count("Host") > 1) throw ServiceException(ErrorCode::InvalidHeaderValue);
  context_.target = parse_target(request_.target, headers.get("Host"), service_.options.secure, product_style).value();
  QueryParameters query = QueryParameters::parse(context_.target.query).value();
  front_end_ = query.get("comp").has_value();
  if (request_.service == StorageService::Table)
    context_.preferences = parse_preferences({request_.method, context_.target.resource, query, request_.headers});
  context_.version = version_of(headers, query, service_.options.strict_api_version);
  require_unambiguous(headers, query);
  return query;
}

void Admission::require_account() {
  if (const auto known = service_.authenticator.require_account(context_.target.account); !known)
    refuse_access(known.error());
}

void Admission::authenticate() {
  stage_ = Stage::AccountFound;
  refuse_foreign_page();
  auto caller = service_.authenticator.authenticate(request_, context_.target, service_.options.secure, access_times());
  if (!caller) refuse_access(caller.error());
  context_.caller = *std::move(caller);
  check_version(context_.caller, context_.version).value();
  stage_ = Stage::Authenticated;
}

AccessTimes Admission::access_times() const {
  return {context_.received, service_.options.time->of_clients(context_.received)};
}

void Admission::admit_owner() {
  stage_ = Stage::AccountFound;
  check_version(context_.caller, context_.version).value();
  stage_ = Stage::Authenticated;
}

// Refuses what a page that the user did not ask could do with a key that everybody knows.
void Admission::refuse_foreign_page() const {
  const std::string& account = context_.target.account;
  if (is_blind_write(request_) &&
      !allows_origin(service_.cors_rules.of(account), request_.method, request_.headers.get("Origin")))
    throw ServiceException(ErrorCode::AuthorizationFailure,
                           "A page of another origin sent this without a preflight, and no CORS rule allows it.");
  if (!service_.options.secure && is_for_foreign_host(request_, service_.options.control) &&
      service_.authenticator.accounts().has_public_key(account))
    throw ServiceException(ErrorCode::AuthorizationFailure,
                           "A page asked under a host name that is not this machine's. Use localhost or 127.0.0.1, "
                           "start with --tableHost NAME, or use an account with a key of its own.");
}

void Admission::refuse_access(const Error& error) const {
  const bool explains = context_.explains && context_.service == StorageService::Table;
  throw ServiceException(error, explains ? explain_authentication(service_.authenticator, request_, context_.target,
                                                                  service_.options.secure, access_times(), error)
                                         : std::string());
}

// --- Refusals and failures -------------------------------------------------------------------------------

Response Admission::refuse(const ServiceException& refusal) const {
  const ErrorCode code = refusal.error().code;
  const ErrorSource source = source_of(code);
  if (code == ErrorCode::ServerBusy && !refusal.explanation().empty())  // the store says why it cannot serve
    spdlog::warn("request {} is refused: {}", context_.request_id, refusal.explanation());
  Response response = error_response(refusal.error(), context_, source);
  if (code == ErrorCode::MethodNotAllowed)
    response.add("Allow", allowed_methods(context_.target.resource, source == ErrorSource::FrontEnd));
  response.explanation = refusal.explanation();
  if (context_.explains && response.explanation.empty()) response.explanation = explain_code(code);
  return response;
}

// Reports a failure inside the emulator to its log, not to the client.
Response Admission::fail(const std::exception& failure) const {
  spdlog::error("request {} failed: {}", context_.request_id, failure.what());
  return error_response(ErrorCode::InternalError, context_, ErrorSource::TableLayer);
}

// The service's layers refuse in different forms. Its front end authenticates, and serves `?comp=`.
ErrorSource Admission::source_of(ErrorCode code) const {
  const bool is_unrouted = code == ErrorCode::InvalidUri || code == ErrorCode::InvalidQueryParameterValue;
  if (stage_ == Stage::Authenticated && is_unrouted) return ErrorSource::Router;
  if (front_end_ || stage_ < Stage::Authenticated || is_of_authentication(code)) return ErrorSource::FrontEnd;
  return stage_ < Stage::Parsed || is_early(code) ? ErrorSource::TableLayerEarly : ErrorSource::TableLayer;
}

}  // namespace rocktable
