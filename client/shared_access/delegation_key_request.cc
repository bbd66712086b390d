#include "client/shared_access/delegation_key_request.h"

#include <pugixml.hpp>
#include <stdexcept>

#include "client/signing.h"

namespace rocktable {
namespace {

HttpRequest key_request(const HttpUrl& endpoint, const std::string& token, const std::string& expiry) {
  HttpRequest out{"POST", endpoint.path + "/?restype=service&comp=userdelegationkey", {}, {}};
  out.headers.add("Authorization", "Bearer " + token);
  out.headers.add("x-ms-date", http_date());
  out.headers.add("x-ms-version", kFirstTableDelegation);
  out.headers.add("Accept", "application/xml");
  out.headers.add("Content-Type", "application/xml");
  out.body = "<?xml version='1.0' encoding='utf-8'?>\n<KeyInfo><Expiry>" + expiry + "</Expiry></KeyInfo>";
  return out;
}

}  // namespace

std::string request_delegation_key(SasParameters& sas, const HttpUrl& endpoint, const std::string& token,
                                   const std::string& expiry, const HttpOptions& options) {
  HttpClient client(endpoint, options);
  const HttpResponse response = client.send(key_request(endpoint, token, expiry));
  pugi::xml_document document;
  const bool is_xml = static_cast<bool>(document.load_buffer(response.body.data(), response.body.size()));
  if (response.status != 200) {
    const std::string code(response.headers.get("x-ms-error-code"));
    const std::string why(response.headers.get("x-rocktable-explain"));
    throw std::runtime_error(endpoint.origin() + endpoint.path + " gives no user delegation key: it returned status " +
                             std::to_string(response.status) + (code.empty() ? "" : " " + code) +
                             (why.empty() ? "" : ": " + why));
  }
  const auto root = document.child("UserDelegationKey");
  set_key(sas, {.object_id = root.child_value("SignedOid"),
                .tenant_id = root.child_value("SignedTid"),
                .start = root.child_value("SignedStart"),
                .expiry = root.child_value("SignedExpiry"),
                .service = root.child_value("SignedService"),
                .version = root.child_value("SignedVersion"),
                .user_tenant_id = root.child_value("SignedDelegatedUserTid")});
  std::string value = root.child_value("Value");
  if (!is_xml || sas.key_object_id.empty() || value.empty())
    throw std::runtime_error(endpoint.origin() + " returned no user delegation key");
  return value;
}

}  // namespace rocktable
