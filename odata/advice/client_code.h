// A change of a program in the language of its SDK.
#pragma once

#include <string>
#include <string_view>

#include "odata/advice/key_sketch.h"

namespace rocktable {

// The languages for which there is code: that of the current SDK, @azure/data-tables, azure-data-tables, and
// Azure.Data.Tables.
enum class ClientLanguage { None, JavaScript, Python, CSharp };

// By the product of the User-Agent: `azsdk-js-data-tables/13.1.1`.
ClientLanguage language_of_client(std::string_view client);

// `javascript`, `python`, `csharp`, or empty: the name of the language of a block of code in Markdown.
std::string_view to_string(ClientLanguage language);

// Several lines. `entity` is the entity that the program writes, `table` its client of the table; the other names are
// those of values that the program has. Numbers in keys have leading zeros, and times are ISO 8601 in UTC, so that the
// order of keys is that of the values. Empty for ClientLanguage::None.
std::string client_code(const KeySketch& sketch, ClientLanguage language);

}  // namespace rocktable
