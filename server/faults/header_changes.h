// Changes to the headers of an answer, as a fault rule asks for them.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "odata/files/json_reader.h"

namespace rocktable {

// All headers of this name are replaced by one line for each value. No value: they are removed.
struct HeaderChange {
  std::string name;
  std::vector<std::string> values;
};

// Reads {"Retry-After": "5", "ETag": null, "X-Two": ["1", "2"]}. Refuses what would change where the answer ends, and
// what cannot be in a header: a line break would begin another one. Throws FileError.
std::vector<HeaderChange> read_header_changes(const JsonReader& object);

// Writes the same form.
nlohmann::json to_json(const std::vector<HeaderChange>& changes);

// `fields`: header lines, each with its CRLF.
void change_fields(const std::vector<HeaderChange>& changes, std::string& fields);

}  // namespace rocktable
