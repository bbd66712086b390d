// Converts entities to and from the text of a file format, for tests and fuzzers.
#pragma once

#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "odata/files/csv.h"
#include "odata/files/entity_format.h"

namespace rocktable {

inline std::vector<Entity> entities_in(EntityFormat format, const std::string& text) {
  std::istringstream in(text);
  const auto reader = open_entity_reader(format, in, "sample");
  std::vector<Entity> entities;
  while (auto entity = reader->next()) entities.push_back(std::move(*entity));
  return entities;
}

inline EntityWriterOptions options_for(const std::vector<Entity>& entities, bool timestamps = false) {
  PropertyNames names;
  for (const Entity& entity : entities) {
    const auto properties = view_of(entity.properties);
    names.add({entity.key.partition_key, entity.key.row_key, entity.timestamp, properties});
  }
  return {timestamps, names.names(), true};
}

inline std::string text_of(EntityFormat format, const std::vector<Entity>& entities,
                           const EntityWriterOptions& options) {
  std::ostringstream out;
  const auto writer = open_entity_writer(format, out, "sample", options);
  for (const Entity& entity : entities) {
    const auto properties = view_of(entity.properties);
    writer->write({entity.key.partition_key, entity.key.row_key, entity.timestamp, properties});
  }
  writer->flush();
  return out.str();
}

inline std::string text_of(EntityFormat format, const std::vector<Entity>& entities) {
  return text_of(format, entities, options_for(entities));
}

// Returns the error for the text, or an empty string if it is valid.
inline std::string fault_in(EntityFormat format, const std::string& text) {
  try {
    entities_in(format, text);
    return {};
  } catch (const FileError& error) {
    return error.what();
  }
}

}  // namespace rocktable
