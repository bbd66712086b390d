#include "server/handlers/user_delegation_key.h"

#include <optional>

#include "base/text.h"
#include "odata/protocol/sas.h"
#include "server/access/roles/role.h"
#include "server/request/error_response.h"
#include "server/request/xml.h"

namespace rocktable {
namespace {

// Carries a value that is not accepted.
struct RefusedValue {
  std::string value;
};

struct KeyInfo {
  std::optional<std::string> start, expiry, user_tenant_id;
};

KeyInfo parse_key_info(const std::string& body) {
  const auto document = parse_xml(body, "KeyInfo");
  KeyInfo out;
  for (const auto& child : child_elements(document.document_element())) {
    const std::string_view name = child.name();
    std::optional<std::string>* const field = name == "Start"              ? &out.start
                                              : name == "Expiry"           ? &out.expiry
                                              : name == "DelegatedUserTid" ? &out.user_tenant_id
                                                                           : nullptr;
    if (field == nullptr || *field) refuse(ErrorCode::InvalidXmlDocument);
    *field = leaf_text(child);
  }
  if (!out.expiry) refuse(ErrorCode::InvalidXmlDocument);
  return out;
}

// The service refuses fractions of a second.
DateTime parse_key_time(const std::string& text) {
  const auto time = parse_access_time(text);
  if (!time || text.find('.') != text.npos) throw RefusedValue{text};
  return *time;
}

DelegationKey key_for(const KeyInfo& info, const RequestContext& context) {
  const BearerClaims& owner = *context.caller.identity->token;
  DelegationKey out{owner.object_id, owner.tenant_id, whole_second(context.received), {}, "t", context.version, {}};
  if (info.start && !info.start->empty()) out.start = parse_key_time(*info.start);
  out.expiry = parse_key_time(*info.expiry);
  if (out.expiry <= context.received || out.expiry <= out.start ||
      out.expiry.ticks - context.received.ticks > kMaxDelegationKeyTicks)
    throw RefusedValue{*info.expiry};
  // An account permits users of other tenants only if it is told to, which cannot be done here.
  if (info.user_tenant_id) out.user_tenant_id = to_lower_ascii(*info.user_tenant_id);
  if (!out.user_tenant_id.empty() && out.user_tenant_id != out.tenant_id) throw RefusedValue{*info.user_tenant_id};
  return out;
}

std::string render_key(const DelegationKey& key, const std::string& value) {
  pugi::xml_document document = new_xml();
  auto root = document.append_child("UserDelegationKey");
  const auto add = [&](const char* name, const std::string& text) { root.append_child(name).text() = text.c_str(); };
  add("SignedOid", key.object_id);
  add("SignedTid", key.tenant_id);
  add("SignedStart", to_string(key.start));
  add("SignedExpiry", to_string(key.expiry));
  add("SignedService", key.service);
  add("SignedVersion", key.version);
  if (!key.user_tenant_id.empty()) add("SignedDelegatedUserTid", key.user_tenant_id);
  add("Value", value);
  return render_xml(document);
}

}  // namespace

Response get_user_delegation_key(const DelegationKeys* keys, const RequestContext& context, const std::string& body) {
  const auto& caller = context.caller.identity;
  if (keys == nullptr || !caller || !caller->token) refuse(ErrorCode::AuthenticationFailed);
  if (context.version < kFirstTableDelegation) refuse(ErrorCode::InvalidQueryParameterValue);
  if (!is_guid(caller->token->object_id) || !is_guid(caller->token->tenant_id))
    throw ServiceException(ErrorCode::AuthenticationFailed,
                           "The token needs the claims oid and tid, both GUIDs: a key is for its owner.");
  const KeyInfo info = parse_key_info(body);
  try {
    const DelegationKey key = key_for(info, context);
    return xml_response(context, render_key(key, keys->value_of(context.target.account, key)));
  } catch (const RefusedValue& refused) {
    return refused_xml_value(context, refused.value);
  }
}

}  // namespace rocktable
