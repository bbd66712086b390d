#include "server/access/signed_identifiers.h"

#include <algorithm>
#include <set>

#include "base/text.h"
#include "odata/error.h"
#include "server/request/xml.h"

namespace rocktable {
namespace {

constexpr std::size_t kMaxIdentifiers = 5;
constexpr std::size_t kMaxIdLength = 64;
constexpr std::string_view kPermissions = "raud";

// The service validates the document against its schema: all faults, also of values, have one code.
constexpr ErrorCode kInvalidDocument = ErrorCode::InvalidXmlDocument;

DateTime parse_time(const std::string& text) {
  const auto time = parse_access_time(text);
  if (!time) refuse(kInvalidDocument);
  return *time;
}

std::string parse_permissions(const std::string& letters) {
  std::string out;
  for (const char letter : kPermissions)
    if (std::count(letters.begin(), letters.end(), letter) == 1) out += letter;
  if (out.size() != letters.size()) refuse(kInvalidDocument);
  return out;
}

void parse_policy(const pugi::xml_node& policy, SignedIdentifier& out) {
  std::set<std::string> seen;
  for (const auto& child : child_elements(policy)) {
    const std::string name = child.name(), text = leaf_text(child);
    if (!seen.insert(name).second) refuse(kInvalidDocument);
    if (name != "Start" && name != "Expiry" && name != "Permission") refuse(kInvalidDocument);
    if (text.empty()) continue;
    if (name == "Start") out.start = parse_time(text);
    if (name == "Expiry") out.expiry = parse_time(text);
    if (name == "Permission") out.permissions = parse_permissions(text);
  }
}

SignedIdentifier parse_identifier(const pugi::xml_node& node) {
  SignedIdentifier out;
  std::set<std::string> seen;
  for (const auto& child : child_elements(node)) {
    const std::string name = child.name();
    if (!seen.insert(name).second) refuse(kInvalidDocument);
    if (name == "Id") {
      out.id = leaf_text(child);
    } else if (name == "AccessPolicy") {
      parse_policy(child, out);
    } else {
      refuse(kInvalidDocument);
    }
  }
  if (out.id.empty() || utf16_length(out.id) > kMaxIdLength) refuse(kInvalidDocument);
  return out;
}

std::vector<SignedIdentifier> parse(std::string_view xml) {
  std::vector<SignedIdentifier> out;
  if (trim(xml).empty()) return out;
  const auto document = parse_xml(xml, "SignedIdentifiers");
  const auto children = child_elements(document.document_element());
  if (children.size() > kMaxIdentifiers) refuse(kInvalidDocument);
  for (const auto& child : children) {
    if (std::string_view(child.name()) != "SignedIdentifier") refuse(kInvalidDocument);
    out.push_back(parse_identifier(child));
    const auto same = [&](const SignedIdentifier& other) { return other.id == out.back().id; };
    if (std::count_if(out.begin(), out.end(), same) > 1) refuse(kInvalidDocument);
  }
  return out;
}

void add_text(pugi::xml_node& parent, const char* name, const std::string& text) {
  if (!text.empty()) parent.append_child(name).text() = text.c_str();
}

}  // namespace

Result<std::vector<SignedIdentifier>> parse_signed_identifiers(std::string_view xml) {
  try {
    return parse(xml);
  } catch (const ServiceException& refusal) {
    return refusal.error();
  }
}

std::string render_signed_identifiers(const std::vector<SignedIdentifier>& identifiers) {
  pugi::xml_document document = new_xml();
  auto root = document.append_child("SignedIdentifiers");
  for (const auto& identifier : identifiers) {
    auto node = root.append_child("SignedIdentifier");
    add_text(node, "Id", identifier.id);
    if (!identifier.start && !identifier.expiry && identifier.permissions.empty()) continue;
    auto policy = node.append_child("AccessPolicy");
    add_text(policy, "Start", identifier.start ? to_string_7(*identifier.start) : "");
    add_text(policy, "Expiry", identifier.expiry ? to_string_7(*identifier.expiry) : "");
    add_text(policy, "Permission", identifier.permissions);
  }
  return render_xml(document);
}

}  // namespace rocktable
