#include "server/insight/findings.h"

#include <algorithm>

#include "base/text.h"
#include "odata/insight/folded_table.h"
#include "odata/insight/scan_limits.h"
#include "odata/insight/shown_key.h"

namespace rocktable {
namespace {

std::string scanned_and_returned(const ShapeSums& statistics) {
  if (statistics.uncounted > 0) return counted(statistics.requests, "request", "requests");
  return counted(statistics.entities_scanned, "entity", "entities") + " scanned, " +
         with_commas(statistics.entities_returned) + " returned, in " +
         counted(statistics.requests, "request", "requests");
}

std::string sentence_of(std::string_view id, const Evidence& evidence) {
  const std::string count = with_commas(evidence.count);
  const std::string subject = shown_key(evidence.subject);
  if (id == "n-plus-one")
    return count + " point reads went one by one to rows of one partition, such as " + subject + ".";
  if (id == "single-writes")
    return count + " writes went one by one to rows of one partition, such as " + subject + ".";
  if (id == "lost-update")
    return counted(evidence.count, "entity was", "entities were") +
           " read and then replaced without the ETag, so that a change in between is lost.";
  if (id == "hot-partition")
    return "The partition " + subject + " took " + counted(evidence.count, "request", "requests") +
           ", most of those to the table.";
  if (id == "append-only-keys")
    return counted(evidence.count, "new partition was", "new partitions were") + " at one end of the table, now at " +
           subject + ".";
  if (id == "unpadded-numbers")
    return "Keys end in numbers without leading zeros: " + evidence.subject + " are in the wrong order.";
  if (id == "near-limits")
    return counted(evidence.count, "write was", "writes were") + " near a limit of the service: " + evidence.subject +
           ".";
  return "The table was created, or its creation refused, " + count + " times.";
}

}  // namespace

std::vector<RequestFinding> findings_of(const QueryShape& shape, const ShapeSums& statistics, std::uint64_t abandoned) {
  std::vector<RequestFinding> out;
  const auto add = [&](std::string_view id, std::uint64_t count, std::string sentence) {
    out.push_back({id, shape, count, std::move(sentence), statistics.example});
  };
  const bool is_query = shape.operation == "QueryEntities";
  const std::string cost = scanned_and_returned(statistics);
  if (is_query && shape.plan == "table-scan") {
    add("table-scan", statistics.requests, "The query reads the whole table: " + cost + ".");
  } else if (is_query && shape.plan == "partition-range") {
    add("partition-range-scan", statistics.requests, "The query reads a range of partitions: " + cost + ".");
  } else if (const auto returned = std::max<std::uint64_t>(statistics.entities_returned, 1);
             is_query && statistics.entities_scanned >= kMinScanned &&
             statistics.entities_scanned > kMaxScannedPerReturned * returned) {
    add("scanned-per-returned", statistics.entities_scanned,
        with_commas(statistics.entities_scanned / returned) + " entities were scanned for each one returned: " + cost +
            ".");
  }
  if (is_query && statistics.max_partitions > 1)
    add("or-across-partitions", statistics.requests,
        "One filter names keys of " + with_commas(statistics.max_partitions) + " partitions.");
  if (shape.operation == "InsertEntity" && statistics.conflicts >= kMinConflicts &&
      statistics.conflicts * 5 >= statistics.requests)
    add("insert-conflicts", statistics.conflicts,
        with_commas(statistics.conflicts) + " of " + counted(statistics.requests, "insert", "inserts") +
            " met an entity that exists (409).");
  if (abandoned > 0)
    add("abandoned-paging", abandoned,
        counted(abandoned, "page was", "pages were") + " followed by no request for the next one, though " +
            (abandoned == 1 ? "it" : "they") + " had a continuation token and fewer entities than asked for.");
  return out;
}

RequestFinding finding_of(std::string_view account, std::string_view table, const Observation& observation) {
  RequestFinding out;
  out.id = observation.id;
  out.shape.account = account;
  out.shape.table = folded_table(table);
  out.shape.client = observation.evidence.client;
  out.count = observation.evidence.count;
  out.sentence = sentence_of(observation.id, observation.evidence);
  out.example = observation.evidence.example;
  return out;
}

}  // namespace rocktable
