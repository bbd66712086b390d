// XML documents of the front end (service properties, signed identifiers): read strictly, written as the
// service does.
#pragma once

#include <pugixml.hpp>
#include <string>
#include <string_view>

namespace rocktable {

// Reads a document whose root is `root`. Document types are skipped, and so no entity is ever expanded.
// Throws ServiceException: InvalidXmlDocument.
pugi::xml_document parse_xml(std::string_view text, const char* root);

// One line, without byte order mark.
std::string render_xml(const pugi::xml_document& document);

// An empty document with its declaration.
pugi::xml_document new_xml();

// The text of an element without element children, trimmed, each white space character as a space: written out
// and read again it is the same. Throws ServiceException: InvalidXmlDocument, for control characters and what is
// not UTF-8 as well.
std::string leaf_text(const pugi::xml_node& node);

}  // namespace rocktable
