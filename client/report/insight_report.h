// What a rocktable recorded about the requests of its clients: the documents of `GET /_rocktable/queries` and
// `GET /_rocktable/permissions` as values.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

namespace rocktable {

// Times that the server took for the requests of a shape, in milliseconds.
struct ShapeTimes {
  double p50 = 0, p99 = 0, max = 0;
};

// Requests that differ only in their literals. Each page of a query is a request.
struct ShapeStatistics {
  // Empty after merged() if there are several accounts; likewise `client` and `test`.
  std::string account;
  // Lower case, runs of digits as `#`; empty: not of one table; `*`: beyond the server's bound of shapes.
  std::string table;
  std::string operation;  // `QueryEntities`
  std::string plan;       // `point`, `row-range`, `partition-scan`, `partition-range`, `table-scan`, or empty
  // The `$filter` with literals as `?`; empty: without `$filter`; `*`: beyond the server's bound of shapes.
  std::string fingerprint;
  std::string select;  // `$select`; empty: all properties
  std::string client;  // product of the User-Agent: `azsdk-js-data-tables/13.1.1`
  std::string test;    // the part of `x-ms-client-request-id` before its last `/`

  std::uint64_t requests = 0;
  // Status 400 and above; 404, 409 and 412 of them.
  std::uint64_t errors = 0, not_found = 0, conflicts = 0, preconditions_failed = 0;
  std::uint64_t continuations = 0;  // answers with a continuation token
  std::uint64_t unbilled = 0;       // requests that the service would not bill
  std::uint64_t abandoned = 0;      // tokens that the client did not follow, although it had less than its `$top`
  // By the service. An estimate where rocktable reads less, which is `entities_scanned_here`.
  std::uint64_t entities_scanned = 0, entities_scanned_here = 0;
  std::uint64_t most_scanned_per_request = 0;
  std::uint64_t entities_returned = 0, entities_written = 0;
  std::uint64_t bytes_read = 0, bytes_sent = 0;
  bool counts_entities = true;  // false: the numbers of entities are not known, and JSON does not have them
  ShapeTimes milliseconds;
  std::uint64_t partitions = 0;  // different partitions that were touched
  bool partitions_exact = true;  // false: at least `partitions`
  std::uint64_t max_partitions_per_request = 0;
  std::string example;                // method and target of one request
  std::string first_seen, last_seen;  // ISO 8601, UTC
};

// How a program could use its tables better.
struct Finding {
  std::string id;  // of a FindingKind (odata/insight/finding_catalog.h), which has title and advice
  std::string account, table, operation, fingerprint, client, test;  // empty: not of one
  std::uint64_t count = 0;                                           // requests or entities
  std::string sentence, example;
};

// A table whose stored entities were looked through.
struct StoredTable {
  std::string table;
  std::uint64_t entities = 0, partitions = 0;
  std::uint64_t bytes = 0;  // entity_size() of all: what the service bills
  bool is_complete = true;  // false: the table has more entities than were read
};

// What was read of the service's diagnostic logs.
struct LogSummary {
  std::uint64_t files = 0, lines = 0;
  std::uint64_t other_services = 0;      // records of blobs, queues and other resources, which are skipped
  std::uint64_t duplicates = 0;          // records of requests that were seen before; the service writes some twice
  std::uint64_t further_operations = 0;  // records of further operations of a request, which do not count again
  std::uint64_t without_shape = 0;       // requests whose URL cannot be read; they count and cost
  std::uint64_t broken = 0;              // lines
  std::string first_broken;              // `logs/000001.log:17: it has 12 fields of 30`
};

// The smallest signature that suffices for the requests of a caller.
struct SmallestSas {
  std::string permissions;                                     // sp
  std::string resource_types;                                  // srt, of an account SAS
  std::string table;                                           // tn, of the others
  std::optional<std::string> first_partition, last_partition;  // spk, epk of the others; nullopt: all partitions
};

// The smallest roles that suffice for the requests of a caller.
struct SmallestRoles {
  std::string scope;  // `devstoreaccount1/orders`
  std::vector<std::string> built_in;
  std::string custom;  // exactly what was used: JSON in lines, ASCII
};

// What the requests of one caller with a bearer token or a shared access signature needed.
struct CallerNeeds {
  std::string account;
  std::string kind;                 // `token`, `accountSas`, `tableSas` or `userDelegationSas`
  std::string identity, object_id;  // of a token, or of the owner of a signature's key; the name, or the object id
  std::uint64_t requests = 0;
  std::vector<std::string> tables;
  std::optional<SmallestSas> sas;      // of signatures
  std::optional<SmallestRoles> roles;  // of tokens and user delegation SAS
};

struct PermissionNeeds {
  std::vector<CallerNeeds> callers;
  std::uint64_t not_counted = 0;  // requests of further callers
};

struct InsightReport {
  std::string since, until;  // ISO 8601, UTC
  std::string program;       // that recorded: `rocktable 0.1.0`
  std::uint64_t not_counted = 0;
  std::vector<ShapeStatistics> shapes;
  std::vector<Finding> findings;
  std::optional<LogSummary> logs;              // of a report of logs; `logs` in JSON
  std::vector<StoredTable> tables;             // of a report of stored data, which has no shapes; `tables` in JSON
  std::optional<PermissionNeeds> permissions;  // if there were callers; `permissions` in JSON
};

// Reads the document of `GET /_rocktable/queries`, version 1. Members that it lacks have their defaults; others are
// ignored, so that a newer server can add some. Throws std::runtime_error with a sentence if it is another document, or
// a member has another type.
InsightReport parse_insight_report(const nlohmann::json& document);

// The inverse of parse_insight_report().
nlohmann::json to_json(const InsightReport& report);

// The same for the document of `GET /_rocktable/permissions`.
PermissionNeeds parse_permission_needs(const nlohmann::json& document);
nlohmann::json to_json(const PermissionNeeds& needs);

// Adds up the shapes that differ only in account, client and test. Those members stay if all have the same value, and
// become empty otherwise. p50 is the mean, weighted by requests; p99 and max are the highest. The same for findings of
// one id, table, operation and fingerprint, with the sentence of the one with the highest count. Shapes and findings
// are ordered: the worst first.
InsightReport merged(InsightReport report);

// Entities that were read for each one returned: scanned, if none was returned; 0 if none was scanned.
double scanned_per_returned(const ShapeStatistics& shape);

}  // namespace rocktable
