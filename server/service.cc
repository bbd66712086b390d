#include "server/service.h"

#include "server/control/control.h"
#include "server/explorer/explorer_pages.h"
#include "server/request/error_response.h"
#include "server/request/request_headers.h"

namespace rocktable {
namespace {

enum class Kind {
  Tables,
  BlobOrQueue,
  Control,
  Owner,  // a request to the table service through the control API: /_rocktable/entities/ACCOUNT/...
};

Kind kind_of(const Request& request) {
  if (request.service != StorageService::Table) return Kind::BlobOrQueue;
  const std::string_view root = kControlPrefix.substr(0, kControlPrefix.size() - 1);
  if (!request.target.starts_with(root)) return Kind::Tables;  // nearly all requests
  if (is_explorer_target(request.target)) return Kind::Control;
  if (!request.target.starts_with(kControlPrefix)) return Kind::Tables;
  return request.target.starts_with(kOwnersPrefix) ? Kind::Owner : Kind::Control;
}

}  // namespace

bool is_for_control(const Request& request) {
  const Kind kind = kind_of(request);
  return kind == Kind::Control || kind == Kind::Owner;
}

void Service::accept(const Request& request, CallHolder& call) const {
  switch (kind_of(request)) {
    case Kind::Tables:
      if (wrapper_.is_on()) return call.hold(wrapper_.accept(tables_, request));
      return call.emplace<TableCall>(tables_, request);
    case Kind::BlobOrQueue:
      return call.emplace<StubCall>(tables_, request);
    case Kind::Control:
      return call.emplace<ControlCall>(control_, request);
    case Kind::Owner:
      return accept_owner(request, call);
  }
}

bool Service::accept_waits(const Request& request) const {
  return waits_for_store() && kind_of(request) == Kind::Tables;
}

// Access to the control API replaces the signature.
void Service::accept_owner(const Request& request, CallHolder& call) const {
  if (auto refusal = control_.refuse_owner(request))
    return call.emplace<ControlCall>(control_, request, *std::move(refusal));
  call.emplace<TableCall>(tables_, request, TableCall::Door::Owner, kOwnersPrefix.size() - 1);
}

Response Service::refuse(const Error& error, StorageService service) const {
  RequestContext context;
  context.service = service;
  context.request_id = new_guid();
  context.received = tables_.now();
  context.version = newest_version();
  return error_response(error, context, ErrorSource::FrontEnd);
}

}  // namespace rocktable
