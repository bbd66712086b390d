#include "server/request/xml.h"

#include <algorithm>
#include <sstream>

#include "base/text.h"
#include "odata/error.h"

namespace rocktable {
namespace {

constexpr ErrorCode kInvalid = ErrorCode::InvalidXmlDocument;

bool is_line_white_space(char c) { return c == '\t' || c == '\n' || c == '\r'; }

bool is_control_character(char c) { return static_cast<unsigned char>(c) < 0x20; }

}  // namespace

pugi::xml_document parse_xml(std::string_view text, const char* root) {
  if (text.size() > kMaxXmlBytes) throw ServiceException(ErrorCode::RequestBodyTooLarge);
  pugi::xml_document document;
  if (!document.load_buffer(text.data(), text.size(), pugi::parse_default, pugi::encoding_auto)) refuse(kInvalid);
  int elements = 0;
  for (const auto& node : document) elements += node.type() == pugi::node_element ? 1 : 0;
  if (elements != 1 || std::string_view(document.document_element().name()) != root) refuse(kInvalid);
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
  std::string text = out.str();
  // The service writes `<Cors />`, pugixml `<Cors/>`; within texts a `>` is escaped.
  for (auto at = text.find("/>"); at != text.npos; at = text.find("/>", at + 3)) text.insert(at, 1, ' ');
  return text;
}

std::vector<pugi::xml_node> child_elements(const pugi::xml_node& parent) {
  std::vector<pugi::xml_node> out;
  for (const auto& child : parent) {  // the parser omits comments, and white space between elements
    if (child.type() != pugi::node_element) refuse(kInvalid);
    out.push_back(child);
  }
  return out;
}

std::string leaf_text(const pugi::xml_node& node) {
  std::string text;
  for (const auto& child : node) {  // several if a comment or a CDATA section separates them
    if (child.type() == pugi::node_element) refuse(kInvalid);
    text += child.value();
  }
  std::replace_if(text.begin(), text.end(), is_line_white_space, ' ');
  if (!is_utf8(text) || std::any_of(text.begin(), text.end(), is_control_character)) refuse(kInvalid);
  return std::string(trim(text));
}

}  // namespace rocktable
