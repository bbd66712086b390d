// The table of formats: which one a file has, and its reader and writer.
#pragma once

#include <iosfwd>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "odata/files/entity_file.h"

namespace rocktable {

enum class EntityFormat { Ndjson, Csv };

// By the ending of a file's name: `.ndjson`, `.jsonl` or `.csv`, in any case.
std::optional<EntityFormat> format_of_file(std::string_view name);

// `file` is how errors name it. The stream must outlive the reader, and be opened as binary. A CSV's header is read
// here. Throws FileError.
std::unique_ptr<EntityReader> open_entity_reader(EntityFormat format, std::istream& in, std::string file);

// The stream must outlive the writer.
std::unique_ptr<EntityWriter> open_entity_writer(EntityFormat format, std::ostream& out, std::string file,
                                                 EntityWriterOptions options = {});

}  // namespace rocktable
