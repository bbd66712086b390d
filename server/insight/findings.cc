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
  const std::string here =
      statistics.entities_scanned == statistics.entities_scanned_here
          ? ""
          : " in the cloud by estimate (" + with_commas(statistics.entities_scanned_here) + " here)";
  return counted(statistics.entities_scanned, "entity", "entities") + " scanned" + here + ", " +
         with_commas(statistics.entities_returned) + " returned, in " +
         counted(statistics.requests, "request", "requests");
}

// Updates and deletions that did nothing. To delete what is not there is no mistake.
std::uint64_t refused_updates(const QueryShape& shape, const ShapeSums& statistics) {
  if (shape.operation == "DeleteEntity") return statistics.preconditions_failed;
  if (shape.operation != "UpdateEntity" && shape.operation != "MergeEntity") return 0;
  return statistics.preconditions_failed + statistics.not_found;
}

std::string sentence_of(std::string_view id, const Evidence& evidence) {
  const std::string count = with_commas(evidence.count);
  const std::string subject = shown_key(evidence.subject);
  if (id == "n-plus-one")
    return count + " point reads went one by one to rows of one partition, such as " + subject + ".";
  if (id == "single-writes")
    return count + " writes went one by one to rows of one partition, such as " + subject + ".";
  if (id == "reads-across-partitions")
    return count + " point reads went through partitions one by one, up to " + subject + ".";
  if (id == "repeated-reads")
    return "The entity " + evidence.subject + " was read " + count + " times, and nothing changed it in between.";
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
    out.push_back({id, shape, count, std::move(sentence), statistics.example,
                   design_advice({.finding = id,
                                  .table = shape.table,
                                  .fingerprint = shape.fingerprint,
                                  .example = statistics.example,
                                  .client = shape.client,
                                  .requests = statistics.requests,
                                  .continuations = statistics.continuations,
                                  .scanned = statistics.entities_scanned,
                                  .returned = statistics.entities_returned,
                                  .counts_entities = statistics.uncounted == 0})});
  };
  const bool is_query = shape.operation == "QueryEntities";
  const bool names_partitions = statistics.max_partitions > 1;
  const std::string cost = scanned_and_returned(statistics);
  const bool is_large =
      is_query && (statistics.uncounted > 0 ||
                   scanned_by_query(statistics.entities_scanned, statistics.most_scanned, statistics.requests,
                                    statistics.continuations) >= kMinScannedByQuery);
  const std::uint64_t returned = std::max<std::uint64_t>(statistics.entities_returned, 1);
  const bool reads_much_for_little =
      statistics.entities_scanned >= kMinScanned && statistics.entities_scanned > kMaxScannedPerReturned * returned;
  if (is_large && shape.plan == "table-scan") {
    if (!names_partitions)  // else or-across-partitions says why
      add("table-scan", statistics.requests, "The service searches the whole table: " + cost + ".");
  } else if (is_large && shape.plan == "partition-range") {
    add("partition-range-scan", statistics.requests, "The service reads a range of partitions: " + cost + ".");
  } else if (is_large && (statistics.uncounted > 0 ? statistics.is_wider_in_cloud : reads_much_for_little)) {
    if (statistics.is_wider_in_cloud) {
      add("or-across-rows", statistics.requests, "The service scans the partition for its rows: " + cost + ".");
    } else {
      add("scanned-per-returned", statistics.entities_scanned,
          with_commas(statistics.entities_scanned / returned) +
              " entities were scanned for each one returned: " + cost + ".");
    }
  }
  if (is_large && names_partitions)
    add("or-across-partitions", statistics.requests,
        "One filter names keys of " + with_commas(statistics.max_partitions) + " partitions: " + cost + ".");
  if (shape.operation == "GetEntity" && statistics.not_found >= kMinMissing &&
      statistics.not_found * 2 >= statistics.requests)
    add("missing-reads", statistics.not_found,
        with_commas(statistics.not_found) + " of " + counted(statistics.requests, "read", "reads") +
            " met no entity (404).");
  if (shape.operation == "InsertEntity" && statistics.conflicts >= kMinConflicts &&
      statistics.conflicts * 5 >= statistics.requests)
    add("insert-conflicts", statistics.conflicts,
        with_commas(statistics.conflicts) + " of " + counted(statistics.requests, "insert", "inserts") +
            " met an entity that exists (409).");
  if (const auto refused = refused_updates(shape, statistics);
      refused >= kMinConflicts && refused * 5 >= statistics.requests)
    add("refused-updates", refused,
        with_commas(refused) + " of " + counted(statistics.requests, "request", "requests") + " were refused: " +
            with_commas(statistics.preconditions_failed) + " because the entity has changed (412), " +
            with_commas(refused - statistics.preconditions_failed) + " because there is none (404).");
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
  out.design = design_advice({.finding = out.id,
                              .table = out.shape.table,
                              .fingerprint = {},
                              .example = out.example,
                              .client = out.shape.client,
                              .requests = out.count});
  return out;
}

}  // namespace rocktable
