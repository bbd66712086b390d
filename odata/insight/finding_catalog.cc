#include "odata/insight/finding_catalog.h"

#include <algorithm>
#include <array>

namespace rocktable {
namespace {

// Source: learn.microsoft.com/azure/storage/tables/table-storage-design-guidelines and -design-patterns;
// docs/insight.md names the section for each.
constexpr auto kFindingKinds = std::to_array<FindingKind>({
    {"table-scan", "table scan",
     "Give the PartitionKey in the filter. If the query has none, store the entities a second time under "
     "keys that it has.",
     true},
    {"partition-range-scan", "scan of a range of partitions",
     "Ask for one partition at a time with a range of RowKeys, or make what the range is over the RowKey.", true},
    {"scanned-per-returned", "many entities scanned for each one returned",
     "Put the property that the filter compares into the RowKey, or store a second entity with it as RowKey "
     "prefix.",
     true},
    {"abandoned-paging", "paging that ends before the last page",
     "Follow the continuation token until there is none. A page may have fewer entities than asked for, or "
     "none, and "
     "still have a token.",
     true},
    {"n-plus-one", "point reads that could be one query",
     "Read the rows by one query of the partition, with a range of RowKeys.", false},
    {"reads-across-partitions", "point reads through partitions one by one",
     "If these entities are read together, give them one PartitionKey. Otherwise send the reads at the same time.",
     false},
    {"repeated-reads", "reads of an entity that does not change",
     "Keep what was read for a while, or read it once for all that need it.", false},
    {"missing-reads", "reads of entities that do not exist",
     "Insert, and handle 409, instead of asking first. Use insert-or-merge or insert-or-replace where both are right.",
     false},
    {"or-across-partitions", "keys of several partitions in one filter",
     "Send one query for each partition, at the same time. The service scans the table for keys that are "
     "joined by `or`.",
     false},
    {"or-across-rows", "row keys that are joined by `or`",
     "Read each by its own point read, at the same time. The service scans the partition for RowKeys that are joined "
     "by `or`.",
     false},
    {"single-writes", "single writes that could be one transaction",
     "Write up to 100 entities of a partition by one entity group transaction: one request, and all or "
     "nothing.",
     false},
    {"lost-update", "replacement of what was read, without its ETag",
     "Send the ETag of the entity that was read as If-Match, and read again if the answer is 412.", false},
    {"hot-partition", "one partition takes most of the requests",
     "Divide the partition, for example by a hash of the RowKey as suffix. A partition serves about 2,000 "
     "entities a "
     "second.",
     false},
    {"append-only-keys", "each new partition is the last or the first",
     "Start the PartitionKey with what differs between writers, such as a hash or a name, not with the time.", false},
    {"unpadded-numbers", "numbers in keys without leading zeros",
     "Pad the numbers with zeros to a fixed width. Keys are compared as text: `10` is before `9`.", false},
    {"insert-conflicts", "inserts that meet an existing entity",
     "Use insert-or-replace or insert-or-merge where it does not matter whether the entity exists.", false},
    {"refused-updates", "updates and deletions that are refused",
     "Where many write one entity, divide it, or write what each has to say as an entity of its own. Where it may be "
     "missing, use insert-or-merge or insert-or-replace.",
     false},
    {"near-limits", "entities near a limit of the service",
     "Divide the entity, or store large values as blobs. An entity has at most 252 properties and 1 MiB; a "
     "key has 512 "
     "characters.",
     false},
    {"repeated-create-table", "tables that are created again and again",
     "Create tables when the program is deployed or starts, not before each use.", false},
    {"large-partition", "a partition with most of the entities",
     "Divide the partition. A query of a partition reads all of it, and one server serves it.", false},
    {"small-partitions", "partitions with one entity each",
     "Put entities that are read or written together into one partition. Transactions and ranges need it.", false},
    {"mixed-types", "a property with several types",
     "Write a property with one type. A filter compares only values of the type of its literal.", false},
});

}  // namespace

std::span<const FindingKind> finding_kinds() { return kFindingKinds; }

const FindingKind* find_finding_kind(std::string_view id) {
  const auto found =
      std::find_if(kFindingKinds.begin(), kFindingKinds.end(), [&](const FindingKind& kind) { return kind.id == id; });
  return found == kFindingKinds.end() ? nullptr : &*found;
}

}  // namespace rocktable
