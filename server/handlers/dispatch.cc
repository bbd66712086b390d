#include "server/handlers/dispatch.h"

#include <variant>

#include "server/handlers/batch.h"
#include "server/handlers/entities.h"
#include "server/handlers/service_properties.h"
#include "server/handlers/table_acl.h"
#include "server/handlers/tables.h"
#include "server/handlers/user_delegation_key.h"

namespace rocktable {
namespace {

// A row for each operation.
struct Handlers {
  const HandlerContext& in;

  Response operator()(const CreateTable&) const { return create_table(in.store, in.request, in.body, in.notes); }
  Response operator()(const QueryTables& o) const { return query_tables(in.store, in.request, o); }
  Response operator()(const GetTable& o) const { return get_table(in.store, in.request, o); }
  Response operator()(const DeleteTable& o) const { return delete_table(in.store, in.request, o); }
  Response operator()(const InsertEntity& o) const {
    return insert_entity(in.store, in.request, o, in.body, in.stats, in.notes);
  }
  Response operator()(const QueryEntities& o) const {
    return query_entities(in.store, in.request, o, in.stats, in.notes, in.memory);
  }
  Response operator()(const GetEntity& o) const { return get_entity(in.store, in.request, o, in.stats); }
  Response operator()(const WriteEntity& o) const {
    return write_entity(in.store, in.request, o, in.body, in.stats, in.notes);
  }
  Response operator()(const Batch& o) const { return run_batch(in.store, in.request, o, in.body, in.stats, in.notes); }
  Response operator()(const GetServiceProperties&) const { return get_service_properties(in.store, in.request); }
  Response operator()(const SetServiceProperties&) const {
    Response response = set_service_properties(in.store, in.request, in.body);
    in.cors_rules.forget(in.request.target.account);
    return response;
  }
  Response operator()(const GetServiceStats&) const { return get_service_stats(in.request); }
  Response operator()(const GetUserDelegationKey&) const {
    return get_user_delegation_key(in.delegation_keys, in.request, in.body);
  }
  Response operator()(const GetTableAcl& o) const { return get_table_acl(in.store, in.request, o); }
  Response operator()(const SetTableAcl& o) const { return set_table_acl(in.store, in.request, o, in.body); }
  Response operator()(const GetTableSubpath&) const { throw ServiceException(ErrorCode::NotImplemented); }
  Response operator()(const WriteTableSubpath& o) const { refuse_write_behind(in.store, in.request, o.table); }
};

}  // namespace

Response dispatch(const Operation& operation, const HandlerContext& context) {
  return std::visit(Handlers{context}, operation);
}

}  // namespace rocktable
