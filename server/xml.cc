#include "server/xml.h"

#include <sstream>

#include "odata/error.h"
#include "odata/text.h"

namespace rocktable {
namespace {

[[noreturn]] void refuse() { throw ServiceException(ErrorCode::InvalidXmlDocument); }

}  // namespace

pugi::xml_document parse_xml(std::string_view text, const char* root) {
  pugi::xml_document document;
  if (!document.load_buffer(text.data(), text.size(), pugi::parse_default, pugi::encoding_auto)) refuse();
  int elements = 0;
  for (const auto& node : document) elements += node.type() == pugi::node_element ? 1 : 0;
  if (elements != 1 || std::string_view(document.document_element().name()) != root) refuse();
  return document;
}

pugi::xml_document new_xml() {
  pugi::xml_document document;
  auto declaration = document.append_child(pugi::node_declaration);
  declaration.append_attribute("version") = "1.0";
  declaration.append_attribute("encoding") = "utf-8";
  return document;
}

std::string render_xml(const pugi::xml_document& document) {
  std::ostringstream out;
  document.save(out, "", pugi::format_raw);
  return out.str();
}

std::string leaf_text(const pugi::xml_node& node) {
  for (const auto& child : node)
    if (child.type() == pugi::node_element) refuse();
  return std::string(trim(node.child_value()));
}

}  // namespace rocktable
