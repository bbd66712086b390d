// The rules for all file formats.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "odata/files/entity_format.h"
#include "storage/format/entity_codec.h"
#include "tests/fuzz/require.h"
#include "tests/unit/odata/files/entity_files.h"

namespace rocktable {

// Compares bytes, because NaN is unequal to itself. Sorts properties for CSV, which does not keep their
// order.
inline std::string stored_bytes(EntityFormat format, const std::vector<Entity>& entities) {
  std::string out;
  for (const Entity& entity : entities) {
    Properties properties = entity.properties;
    if (format == EntityFormat::Csv)
      std::sort(properties.begin(), properties.end(), [](auto& a, auto& b) { return a.name < b.name; });
    out += entity.key.partition_key + '\0' + entity.key.row_key + '\0';
    encode_entity(out, kUnixEpoch, properties);
  }
  return out;
}

inline std::optional<std::vector<Entity>> read_file(EntityFormat format, const std::string& text) {
  try {
    return entities_in(format, text);
  } catch (const FileError& error) {
    const std::string_view sentence = error.what();
    const auto lines = static_cast<std::uint64_t>(std::count(text.begin(), text.end(), '\n')) + 1;
    require(error.place().line >= 1 && error.place().line <= lines, "a fault beyond the lines");
    require(error.place().column >= 1 && error.place().column <= text.size() + 1, "a fault beyond the columns");
    require(is_utf8(sentence) && !holds_control_character(sentence), "a sentence that is no text");
    require(sentence.size() <= 1024 + 4 * text.size(), "a sentence without end");
    return std::nullopt;
  }
}

inline void require_sound_file(EntityFormat format, std::string_view input) {
  const auto entities = read_file(format, std::string(input));
  if (!entities) return;
  for (const Entity& entity : *entities)
    require(check_entity(entity.key, entity.properties).has_value(), "an entity beyond the service's limits");
  const std::string text = text_of(format, *entities);
  const auto again = read_file(format, text);
  require(again.has_value(), "what is written is refused");
  require(stored_bytes(format, *again) == stored_bytes(format, *entities), "entities change when written and read");
  require(text_of(format, *again) == text, "a file changes when read and written");
  if (format != EntityFormat::Csv) return;
  EntityWriterOptions escaped = options_for(*entities);
  escaped.escape_formulas = true;
  const auto unescaped = read_file(format, text_of(format, *entities, escaped));
  require(unescaped && stored_bytes(format, *unescaped) == stored_bytes(format, *entities),
          "entities change when formulas are escaped");
}

}  // namespace rocktable
