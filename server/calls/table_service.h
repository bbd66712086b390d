// The table service: what all calls to it share.
#pragma once

#include <atomic>
#include <memory>

#include "base/time_source.h"
#include "server/access/authenticator.h"
#include "server/access/control_access.h"
#include "server/calls/cloud_reads.h"
#include "server/events/request_metrics.h"
#include "server/events/statistics.h"
#include "server/handlers/cors.h"
#include "server/insight/insight.h"
#include "server/limits/scan_throttle.h"
#include "server/monitor/recent_requests.h"
#include "server/permissions/permission_log.h"
#include "storage/store.h"

namespace rocktable {

struct ServiceOptions {
  bool product_style = true;        // accept accounts in host names, too
  bool secure = false;              // the connection is TLS: links start with https
  bool sync = false;                // the store syncs each commit, so that writes may block
  bool strict_api_version = false;  // refuse versions that the service never had
  TokenRules tokens = {};           // bearer tokens
  bool explain_auth = false;        // explain refusals of access to the logs
  bool explain_headers = false;     // and to the client
  bool insight_headers = false;     // report the cost of a request in headers of our own
  KeepOptions requests = {};        // of RecentRequests
  ControlPolicy control = {};       // who may use /_rocktable/, and which host names are ours
  std::shared_ptr<TimeSource> time = std::make_shared<TimeSource>();
};

struct TableService {
  // The store must outlive it.
  TableService(Store& its_store, Accounts accounts, ServiceOptions its_options);

  DateTime now() const { return options.time->now(); }

  Store& store;
  std::atomic<bool> stopping = false;  // the server stops
  const ServiceOptions options;
  Authenticator authenticator;
  CorsRules cors_rules;
  ScanThrottle scan_throttle;
  CloudReads cloud_reads;
  // They observe the events of requests.
  Statistics statistics;
  RequestMetrics metrics;
  Insight insight;
  RecentRequests recent_requests;
  PermissionLog permissions;
};

}  // namespace rocktable
