#include "server/control/control.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "server/control/control_response.h"
#include "server/control/convert_resource.h"
#include "server/control/insight_resources.h"
#include "server/control/role_resources.h"
#include "server/control/sas_resource.h"
#include "server/control/store_resources.h"
#include "server/control/stress_resources.h"
#include "server/control/table_resources.h"

namespace rocktable {
namespace {

Response handle_ready(const ControlState& state, const ControlArguments&) {
  if (state.stopping) return control_json(503, {{"status", "stopping"}});
  if (const auto reason = state.store.unavailable())
    return control_json(503, {{"status", "unavailable"}, {"error", "The store is not available: " + *reason}});
  return control_json(200, {{"status", "ready"}, {"store", state.store.contents_id()}});
}

Response handle_health(const ControlState&, const ControlArguments&) {
  return control_json(200, {{"status", "ready"}});
}

Response handle_stats(const ControlState& state, const ControlArguments&) {
  return control_json(200, state.statistics.to_json());
}

Response handle_metrics(const ControlState& state, const ControlArguments&) {
  return control_metrics(state.metrics.to_text(state.store));
}

struct Route {
  std::string_view method;
  std::string_view pattern;  // `*` matches one segment: the name
  bool may_block;
  Response (*handler)(const ControlState& state, const ControlArguments& arguments);
};

constexpr Route kRoutes[] = {
    {"GET", "health", false, handle_health},
    {"GET", "ready", false, handle_ready},
    {"GET", "stats", false, handle_stats},
    {"GET", "metrics", false, handle_metrics},
    {"GET", "contents", true, handle_contents},
    {"GET", "accounts", true, handle_get_accounts},
    {"GET", "tables", true, handle_get_tables},
    {"GET", "plan", true, handle_get_plan},
    {"POST", "convert", true, handle_convert},
    {"POST", "reset", true, handle_reset},
    {"GET", "snapshots", true, handle_list_snapshots},
    {"GET", "snapshots/*", true, handle_get_snapshot},
    {"POST", "snapshots/*", true, handle_take_snapshot},
    {"DELETE", "snapshots/*", true, handle_delete_snapshot},
    {"POST", "snapshots/*/restore", true, handle_restore_snapshot},
    {"POST", "accounts/*", true, handle_clone_account},
    {"DELETE", "accounts/*", true, handle_delete_account},
    {"POST", "accounts/*/revoke-user-delegation-keys", true, handle_revoke_user_delegation_keys},
    {"GET", "clock", false, handle_get_clock},
    {"PUT", "clock", false, handle_put_clock},
    {"GET", "behaviour", false, handle_get_behaviour},
    {"PUT", "behaviour", true, handle_put_behaviour},
    {"DELETE", "behaviour", true, handle_delete_behaviour},
    {"GET", "faults", false, handle_list_faults},
    {"POST", "faults", false, handle_add_faults},
    {"DELETE", "faults", false, handle_clear_faults},
    {"GET", "faults/*", false, handle_get_fault},
    {"PUT", "faults/*", false, handle_put_fault},
    {"DELETE", "faults/*", false, handle_delete_fault},
    {"GET", "roles", true, handle_get_roles},
    {"PUT", "roles", true, handle_put_roles},
    {"DELETE", "roles", true, handle_delete_roles},
    {"GET", "identities", false, handle_get_identities},
    {"POST", "sas", false, handle_make_sas},
    {"GET", "permissions", true, handle_get_permissions},
    {"DELETE", "permissions", true, handle_forget_permissions},
    {"GET", "queries", true, handle_get_queries},
    {"POST", "queries/reset", false, handle_reset_queries},
    {"GET", "requests", true, handle_get_requests},
    {"DELETE", "requests", true, handle_forget_requests},
    {"GET", "requests/stream", false, handle_stream_requests},
    {"GET", "retries", false, handle_get_retries},
    {"DELETE", "retries", false, handle_clear_retries},
};

// Removes the first segment from `path` and returns it.
std::string_view take_segment(std::string_view& path) {
  const auto end = std::min(path.find('/'), path.size());
  const std::string_view segment = path.substr(0, end);
  path.remove_prefix(std::min(end + 1, path.size()));
  return segment;
}

// Returns whether the pattern matches. Sets `name` to the segment that `*` matches.
bool matches(std::string_view pattern, std::string_view resource, std::string_view& name) {
  if (resource.ends_with('/')) return false;
  while (!pattern.empty()) {
    const auto wanted = take_segment(pattern), is = take_segment(resource);
    if (wanted == "*" ? is.empty() : wanted != is) return false;
    if (wanted == "*") name = is;
  }
  return resource.empty();
}

bool serves(const Route& route, std::string_view method) {
  return route.method == method || (route.method == "GET" && method == "HEAD");
}

struct Match {
  const Route* route = nullptr;  // null: no route for this method
  std::string_view name;
  std::string allowed;  // methods; empty: no such resource
};

Match match(std::string_view method, std::string_view target) {
  Match out;
  for (const auto& route : kRoutes) {
    if (!matches(route.pattern, control_resource(target), out.name)) continue;
    if (serves(route, method)) out.route = &route;
    out.allowed += (out.allowed.empty() ? "" : ", ") + std::string(route.method);
    if (route.method == "GET") out.allowed += ", HEAD";
  }
  return out;
}

std::string_view query_of(std::string_view target) {
  const auto mark = target.find('?');
  return mark == target.npos ? std::string_view() : target.substr(mark + 1);
}

}  // namespace

std::string_view control_resource(std::string_view target) {
  return target.substr(0, target.find('?')).substr(kControlPrefix.size());
}

bool control_may_block(std::string_view method, std::string_view target) {
  const auto [route, name, allowed] = match(method, target);
  return route != nullptr && route->may_block;
}

bool control_changes_nothing(std::string_view method, std::string_view target) {
  const auto [route, name, allowed] = match(method, target);
  return route == nullptr || route->method == "GET" || route->handler == handle_convert ||
         route->handler == handle_make_sas;
}

Response control_response(const ControlRequest& request, const ControlState& state) {
  const auto [route, name, allowed] = match(request.method, request.target);
  if (allowed.empty()) return control_error(404, "There is no such control resource.");
  if (route == nullptr) {
    Response response = control_error(405, "Use " + allowed + " for this resource.");
    response.add("Allow", allowed);
    return response;
  }
  const auto query = QueryParameters::parse(query_of(request.target));
  if (!query) return control_error(400, "The query is not percent-encoded UTF-8.");
  return route->handler(state, {name, *query, request.body, request.hung_up});
}

}  // namespace rocktable
