// XML documents of the front end (service properties, signed identifiers). Reads strictly, and writes as the service
// does.
#pragma once

#include <cstddef>
#include <pugixml.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace rocktable {

// The largest meaningful documents have about 8 KiB. Each byte of a document takes twenty bytes of memory.
inline constexpr std::size_t kMaxXmlBytes = 64 << 10;

// Reads a document whose root element is `root`. Skips document types, so that no XML entity is expanded and nothing is
// fetched. Nesting is limited only by the size: parsing does not recurse, and readers refuse an unknown element before
// they read its children.
// Throws ServiceException: InvalidXmlDocument, RequestBodyTooLarge.
pugi::xml_document parse_xml(std::string_view text, const char* root);

// Renders one line without byte order mark. Empty elements are `<Cors />`.
std::string render_xml(const pugi::xml_document& document);

// An empty document with its declaration.
pugi::xml_document new_xml();

// The element children. Throws ServiceException: InvalidXmlDocument, if there is text between them.
std::vector<pugi::xml_node> child_elements(const pugi::xml_node& parent);

// The text of an element without element children, trimmed, with a space for each white space character, so that it
// stays the same when it is written and read again. Throws ServiceException: InvalidXmlDocument, also for control
// characters and invalid UTF-8.
std::string leaf_text(const pugi::xml_node& node);

}  // namespace rocktable
