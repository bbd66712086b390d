#include "server/handlers/touched_entities.h"

#include <utility>

#include "odata/payload_reader.h"
#include "server/handlers/batch.h"
#include "server/handlers/entities.h"
#include "server/request/operation_table.h"

namespace rocktable {
namespace {

void add_query(RequestFacts& out, const QueryEntities& query) {
  const KeyRanges& ranges = query.plan.ranges;
  if (query.plan.plan_class > PlanClass::PartitionScan || ranges.empty()) return;
  for (const KeyRange& range : ranges) {
    const bool is_row = range_of_key(range.begin) == KeyRanges{range};
    out.entities.push_back(
        {out.operation, range.begin.partition_key, is_row ? std::optional(range.begin.row_key) : std::nullopt});
  }
}

}  // namespace

RequestFacts facts_of(const RequestContext& context, const Operation& operation, const std::string& body) {
  RequestFacts out;
  out.operation = row_of(operation).name;
  out.table = table_of(operation);
  try {
    if (const auto* get = std::get_if<GetEntity>(&operation)) {
      out.entities.push_back({out.operation, get->key.partition_key, get->key.row_key});
    } else if (const auto* query = std::get_if<QueryEntities>(&operation)) {
      add_query(out, *query);
    } else if (const auto* write = std::get_if<WriteEntity>(&operation)) {
      out.operation = name_of_write(write->kind, write->condition);
      out.entities.push_back({out.operation, write->key.partition_key, write->key.row_key});
    } else if (const auto* insert = std::get_if<InsertEntity>(&operation)) {
      AddressedMutation inserted = to_mutation(InsertEntity(*insert), body);
      out.entities.push_back({out.operation, std::move(inserted.partition_key), std::move(inserted.write.row_key)});
    } else if (const auto* batch = std::get_if<Batch>(&operation)) {
      out.is_batch = true;
      add_batch_entities(out, context, *batch, body);
    } else if (std::holds_alternative<CreateTable>(operation)) {
      out.table = read_table_name(body).value();
    }
    // The operation refuses the body. NOLINTNEXTLINE(bugprone-empty-catch)
  } catch (const ServiceException&) {
  }
  return out;
}

}  // namespace rocktable
