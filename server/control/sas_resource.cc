#include "server/control/sas_resource.h"

#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>

#include "base/date_time.h"
#include "base/text.h"
#include "odata/files/file_error.h"
#include "odata/files/json_reader.h"
#include "odata/protocol/sas.h"
#include "odata/shared_access/sas_maker.h"
#include "server/control/control_checks.h"
#include "server/control/control_response.h"

namespace rocktable {
namespace {

struct SasRequest {
  SasWish wish;
  std::string account;
  std::string owner;  // kind `user`: object id of the key's owner, or a name that the roles define
};

SasWish::Kind kind_of(const JsonReader& kind) {
  if (kind.text() == "account") return SasWish::Kind::Account;
  if (kind.text() == "table") return SasWish::Kind::Table;
  if (kind.text() == "user") return SasWish::Kind::User;
  kind.refuse("must be account, table or user");
}

std::optional<std::string> optional_text(const JsonReader& body, std::string_view name) {
  return body.has(name) ? std::optional(body.member(name).text()) : std::nullopt;
}

// Throws FileError.
SasRequest parse_sas_request(std::string_view text) {
  const JsonDocument document(text, "the body");
  const JsonReader body = document.root();
  body.allow_only({"account", "expiry", "fromPartition", "fromRow", "httpsOnly", "ip", "kind", "owner", "permissions",
                   "policy", "start", "table", "toPartition", "toRow", "types", "user"});
  return {.wish = {.kind = kind_of(body.member("kind")),
                   .table = body.text_or("table", ""),
                   .permissions = body.text_or("permissions", ""),
                   .resource_types = body.text_or("types", ""),
                   .start = body.text_or("start", ""),
                   .expiry = body.text_or("expiry", ""),
                   .ip = body.text_or("ip", ""),
                   .https_only = body.flag("httpsOnly"),
                   .policy = body.text_or("policy", ""),
                   .start_partition_key = optional_text(body, "fromPartition"),
                   .start_row_key = optional_text(body, "fromRow"),
                   .end_partition_key = optional_text(body, "toPartition"),
                   .end_row_key = optional_text(body, "toRow"),
                   .user_object_id = body.text_or("user", "")},
          .account = body.member("account").text(),
          .owner = body.text_or("owner", "")};
}

// The owner by the name that the roles define, or by its object id. Throws SasWishError.
RoleIdentity owner_of(const ControlState& state, const std::string& owner) {
  const auto roles = state.tokens.roles->document();
  if (roles)
    for (const RoleIdentity& identity : roles->identities)
      if (equals_ignoring_case(identity.name, owner) || equals_ignoring_case(identity.object_id, owner))
        return identity;
  if (!is_guid(owner)) throw SasWishError("owner is neither an identity of the roles nor an object id");
  return {.name = {}, .object_id = to_lower_ascii(owner), .tenant_id = {}, .app_id = {}};
}

// Fills in the fields of a key of the owner, valid as long as the signature. Returns its value.
std::string take_delegation_key(SasParameters& sas, const ControlState& state, const SasRequest& request,
                                DateTime now) {
  const RoleIdentity owner = owner_of(state, request.owner);
  constexpr std::string_view kNoTenant = "00000000-0000-0000-0000-000000000000";
  const DelegationKey key{.object_id = owner.object_id,
                          .tenant_id = owner.tenant_id.empty() ? std::string(kNoTenant) : owner.tenant_id,
                          .start = whole_second(now),
                          .expiry = *parse_access_time(sas.expiry),
                          .service = "t",
                          .version = std::string(kFirstTableDelegation),
                          .user_tenant_id = {}};
  if (key.expiry.ticks - now.ticks > kMaxDelegationKeyTicks) throw SasWishError("expiry must be within seven days");
  set_key(sas, {.object_id = key.object_id,
                .tenant_id = key.tenant_id,
                .start = to_string(key.start),
                .expiry = to_string(key.expiry),
                .service = key.service,
                .version = key.version,
                .user_tenant_id = key.user_tenant_id});
  return state.tokens.delegation->value_of(request.account, key);
}

Response made(const SasParameters& sas, const std::string& account) {
  return control_json(200, {{"sharedAccessSignature", to_query(sas)},
                            {"allows", allowed_by(sas)},
                            {"stringToSign", sas_string_to_sign(sas, account).value()}});
}

}  // namespace

Response handle_make_sas(const ControlState& state, const ControlArguments& arguments) {
  if (auto refusal = refuse_parameters(arguments.query, {})) return std::move(*refusal);
  try {
    const SasRequest request = parse_sas_request(arguments.body);
    if (!state.serves_account(request.account)) return unknown_account(request.account);
    const bool by_user = request.wish.kind == SasWish::Kind::User;
    if (by_user && state.tokens.delegation == nullptr)
      return control_error(409, "There are no user delegation keys: start with --oauth basic.");
    const DateTime now = state.time.now();
    SasParameters sas = parameters_of(request.wish, now);
    sign_sas(sas, request.account,
             by_user ? take_delegation_key(sas, state, request, now) : state.key_of(request.account));
    return made(sas, request.account);
  } catch (const FileError& error) {
    return control_error(400, error.what());
  } catch (const SasWishError& error) {
    return control_error(400, std::string("The member ") + error.what() + ".");
  }
}

}  // namespace rocktable
