// XML documents of the front end (service properties, signed identifiers): read strictly, written as the
// service does.
#pragma once

#include <cstddef>
#include <pugixml.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace rocktable {

// Documents that say all that one can say are of some 8 KiB; each byte of a larger one would cost twenty of memory.
inline constexpr std::size_t kMaxXmlBytes = 64 << 10;

// Reads a document whose root is `root`. Document types are skipped, and so no entity is ever expanded, nor anything
// fetched. Elements may nest as deep as the size lets them: they are read without recursion, and readers refuse what they
// do not know before they look into it.
// Throws ServiceException: InvalidXmlDocument, RequestBodyTooLarge.
pugi::xml_document parse_xml(std::string_view text, const char* root);

// One line, without byte order mark, empty elements as `<Cors />`.
std::string render_xml(const pugi::xml_document& document);

// An empty document with its declaration.
pugi::xml_document new_xml();

// The element children. Throws ServiceException: InvalidXmlDocument, where there is text between them.
std::vector<pugi::xml_node> child_elements(const pugi::xml_node& parent);

// The text of an element without element children, trimmed, each white space character as a space: written
// and read again it is the same. Throws ServiceException: InvalidXmlDocument, for control characters and
// broken UTF-8 as well.
std::string leaf_text(const pugi::xml_node& node);

}  // namespace rocktable
