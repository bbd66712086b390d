#include "server/calls/table_service.h"

#include <utility>
#include <vector>

#include "server/access/signed_identifiers.h"

namespace rocktable {

TableService::TableService(Store& its_store, Accounts accounts, ServiceOptions its_options)
    : store(its_store),
      options(std::move(its_options)),
      authenticator(
          std::move(accounts),
          [this](std::string_view account, std::string_view table) {
            const auto document = store.signed_identifiers_in_force({account, table});
            return document ? parse_signed_identifiers(*document).value() : std::vector<SignedIdentifier>();
          },
          options.tokens),
      cors_rules(store),
      recent_requests(options.requests),
      permissions(options.tokens.roles) {}

}  // namespace rocktable
