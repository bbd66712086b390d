#include "server/handlers/table_acl.h"

#include "server/access/signed_identifiers.h"

namespace rocktable {

Response get_table_acl(const Store& store, const RequestContext& context, const GetTableAcl& operation) {
  const std::string stored = store.signed_identifiers({context.target.account, operation.table}).value();
  return xml_response(context, stored.empty() ? render_signed_identifiers({}) : stored);
}

Response set_table_acl(Store& store, const RequestContext& context, const SetTableAcl& operation,
                       const std::string& body) {
  const TableName name{context.target.account, operation.table};
  if (!store.get_table(name)) throw ServiceException(ErrorCode::TableNotFound);
  const auto identifiers = parse_signed_identifiers(body).value();
  store.set_signed_identifiers(name, render_signed_identifiers(identifiers)).value();
  return front_end_response(context, 204);
}

}  // namespace rocktable
