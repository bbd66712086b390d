#include "server/service.h"

#include <spdlog/spdlog.h>

#include <algorithm>

#include "server/batch.h"
#include "server/control.h"
#include "server/entities.h"
#include "server/tables.h"

namespace rocktable {
namespace {

constexpr std::string_view kNewestVersion = "2026-06-06";
constexpr std::string_view kFirstVersionWithJson = "2013-08-15";
constexpr std::size_t kMaxClientRequestId = 1024;

// --- Headers that every request may have ------------------------------------------------------------------------------

bool is_version(std::string_view text) {
  constexpr std::string_view pattern = "dddd-dd-dd";
  return text.size() == pattern.size() && std::equal(text.begin(), text.end(), pattern.begin(), [](char c, char p) {
           return p == 'd' ? c >= '0' && c <= '9' : c == p;
         });
}

// Any well-formed version is served and echoed; without one the newest is meant. Throws ServiceException.
std::string version_of(const Headers& headers, const QueryParameters& query) {
  std::string_view version = headers.get("x-ms-version");
  if (version.empty()) version = query.get("api-version").value_or("");
  if (version.empty()) return std::string(kNewestVersion);
  if (!is_version(version)) throw ServiceException(ErrorCode::InvalidHeaderValue);
  return std::string(version);
}

std::string client_request_id_of(const Headers& headers) {
  const auto id = headers.get("x-ms-client-request-id");
  const bool visible = std::all_of(id.begin(), id.end(), [](char c) { return c >= ' ' && c <= '~'; });
  return visible && id.size() <= kMaxClientRequestId ? std::string(id) : std::string();
}

// --- Dispatch ---------------------------------------------------------------------------------------------------------

struct Run {
  TableStore& store;
  const Exchange& exchange;
  const std::string& body;

  Response operator()(const CreateTable&) const { return create_table(store, exchange, body); }
  Response operator()(const QueryTables& o) const { return query_tables(store, exchange, o); }
  Response operator()(const GetTable& o) const { return get_table(store, exchange, o); }
  Response operator()(const DeleteTable& o) const { return delete_table(store, exchange, o); }
  Response operator()(const InsertEntity& o) const { return insert_entity(store, exchange, o, body); }
  Response operator()(const QueryEntities& o) const { return query_entities(store, exchange, o); }
  Response operator()(const GetEntity& o) const { return get_entity(store, exchange, o); }
  Response operator()(const WriteEntity& o) const { return write_entity(store, exchange, o, body); }
  Response operator()(const Batch& o) const { return run_batch(store, exchange, o, body); }
};

bool is_one_key(const KeyRange& range) {
  return range.end && range.end->partition_key == range.begin.partition_key &&
         range.end->row_key.size() == range.begin.row_key.size() + 1 &&
         range.end->row_key.starts_with(range.begin.row_key) && range.end->row_key.back() == '\0';
}

bool is_scan(const Operation& operation) {
  if (const auto* query = std::get_if<QueryEntities>(&operation))
    return query->ranges.size() > 1 || !std::all_of(query->ranges.begin(), query->ranges.end(), is_one_key);
  return std::holds_alternative<QueryTables>(operation);
}

bool is_write(const Operation& operation) {
  return !std::holds_alternative<QueryTables>(operation) && !std::holds_alternative<GetTable>(operation) &&
         !std::holds_alternative<QueryEntities>(operation) && !std::holds_alternative<GetEntity>(operation);
}

// What goes wrong inside the emulator is told to its log, not to the client.
Response internal_error(const Exchange& exchange, const std::exception& fault) {
  spdlog::error("request {} failed: {}", exchange.request_id, fault.what());
  return error_response(ErrorCode::InternalError, exchange, ErrorSource::TableLayer);
}

}  // namespace

void Service::accept(const Request& request, Call& call, ErrorSource& source) {
  Exchange& exchange = call.exchange_;
  exchange.client_request_id = client_request_id_of(request.headers);
  const Target target = parse_target(request.target, request.headers.get("Host"), options_.secure,
                                     options_.product_style)
                            .value();
  exchange.account = target.account;
  exchange.base_url = target.base_url;
  const QueryParameters query = QueryParameters::parse(target.query).value();
  const OperationRequest parts{request.method, target.resource, query, request.headers};
  exchange.preferences = parse_preferences(parts);
  exchange.version = version_of(request.headers, query);
  authenticator_.authenticate(request, target, exchange.received).value();

  if (!query.get("comp")) source = ErrorSource::TableLayerEarly;
  if (exchange.version < kFirstVersionWithJson) throw ServiceException(ErrorCode::JsonFormatNotSupported);
  call.operation_ = parse_operation(parts);
  call.may_block_ = is_scan(*call.operation_) || (options_.sync && is_write(*call.operation_));
}

Service::Call Service::accept(const Request& request) {
  Call call;
  call.store_ = &store_;
  call.body_ = request.body;
  call.head_ = request.method == "HEAD";
  call.exchange_.request_id = new_guid();
  call.exchange_.received = now();
  call.exchange_.version = kNewestVersion;
  if (request.target.starts_with(kControlPrefix)) {
    call.refusal_ = control_response(request.method, request.target);
    return call;
  }
  ErrorSource source = ErrorSource::FrontEnd;
  try {
    accept(request, call, source);
  } catch (const ServiceException& refusal) {
    call.refusal_ = error_response(refusal.error(), call.exchange_, source);
  } catch (const std::exception& fault) {
    call.refusal_ = internal_error(call.exchange_, fault);
  }
  return call;
}

Response Service::Call::run() {
  Response response;
  if (refusal_) {
    response = std::move(*refusal_);
  } else {
    try {
      response = std::visit(Run{*store_, exchange_, *body_}, *operation_);
    } catch (const ServiceException& refusal) {
      const bool early = refusal.error().code == ErrorCode::TableNotFound;
      response = error_response(refusal.error(), exchange_,
                                early ? ErrorSource::TableLayerEarly : ErrorSource::TableLayer);
    } catch (const std::exception& fault) {
      response = internal_error(exchange_, fault);
    }
  }
  response.sends_body = !head_;
  return response;
}

Response Service::refuse(const Error& error) const {
  Exchange exchange;
  exchange.request_id = new_guid();
  exchange.received = now();
  exchange.version = kNewestVersion;
  return error_response(error, exchange, ErrorSource::FrontEnd);
}

}  // namespace rocktable
