// The table of file formats: chooses the format of a file, and creates its reader or writer.
#pragma once

#include <iosfwd>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "odata/files/entity_file.h"

namespace rocktable {

enum class EntityFormat { Ndjson, Csv };

// Returns the format by the ending of a file's name: `.ndjson`, `.jsonl` or `.csv`, in any case.
std::optional<EntityFormat> format_of_file(std::string_view name);

// Errors call the file `file`. The stream must be binary and outlive the reader. Reads the header of a CSV.
// Throws FileError.
std::unique_ptr<EntityReader> open_entity_reader(EntityFormat format, std::istream& in, std::string file);

// The stream must outlive the writer.
std::unique_ptr<EntityWriter> open_entity_writer(EntityFormat format, std::ostream& out, std::string file,
                                                 EntityWriterOptions options = {});

}  // namespace rocktable
