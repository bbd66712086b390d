// The input of a control resource: the state of the emulator, and the arguments of the request.
#pragma once

#include <atomic>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/time_source.h"
#include "server/access/token_rules.h"
#include "server/behaviour/behaviours.h"
#include "server/events/request_metrics.h"
#include "server/events/statistics.h"
#include "server/faults/fault_plan.h"
#include "server/faults/retry_log.h"
#include "server/identity/identity_report.h"
#include "server/insight/insight.h"
#include "server/monitor/recent_requests.h"
#include "server/permissions/permission_log.h"
#include "server/request/target.h"
#include "storage/store.h"

namespace rocktable {

// The parts of the emulator that the control API shows and changes.
struct ControlState {
  const Statistics& statistics;
  const RequestMetrics& metrics;
  Insight& insight;
  RecentRequests& recent_requests;
  const std::atomic<bool>& stopping;
  Store& store;
  std::function<bool(std::string_view account)> serves_account;
  std::function<bool(std::string_view account)> has_public_key;  // the well-known one
  std::function<std::string(std::string_view account)> key_of;   // the first one, base64
  std::function<std::vector<std::string>()> named_accounts;      // in the order of their names
  std::function<void()> settings_changed;  // call after the service properties of accounts may have changed
  TimeSource& time;
  Behaviours& behaviours;
  FaultPlan& faults;
  RetryLog& retries;
  const TokenRules& tokens;
  PermissionLog& permissions;
  IdentityReport identities;  // of --identity; empty: none
};

struct ControlArguments {
  std::string_view name;  // from the path, not decoded
  const QueryParameters& query;
  std::string_view body;
  const std::atomic<bool>& hung_up;  // the client has: what takes long may end
};

}  // namespace rocktable
