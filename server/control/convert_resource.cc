#include "server/control/convert_resource.h"

#include <nlohmann/json.hpp>
#include <optional>
#include <sstream>

#include "odata/files/csv.h"
#include "odata/files/entity_format.h"
#include "server/control/control_checks.h"
#include "server/control/control_response.h"

namespace rocktable {
namespace {

std::optional<EntityFormat> format_of(std::optional<std::string_view> name) {
  return name ? format_of_file("." + std::string(*name)) : std::nullopt;
}

// Throws nlohmann::json::exception if the text is not a list of texts.
std::vector<std::string> columns_of(std::optional<std::string_view> list) {
  return list ? nlohmann::json::parse(*list).get<std::vector<std::string>>() : std::vector<std::string>();
}

// Of the text, which the answer holds for a moment several times. A line of 50 bytes may become one of 40 KB: there may
// be 20,000 columns.
constexpr std::streamoff kMaxConvertedBytes = 16 << 20;

struct Conversion {
  std::ostringstream text;
  nlohmann::json lines = nlohmann::json::array();
  PropertyNames names;
  std::uint64_t line = 0;  // of the entity that is written
};

// Throws FileError at the first line that is no entity, or for which there is no room. Ends early if the client hangs
// up.
void convert(EntityFormat from, EntityFormat to, const ControlArguments& arguments, const EntityWriterOptions& options,
             Conversion& out) {
  std::istringstream in{std::string(arguments.body)};
  const auto writer = open_entity_writer(to, out.text, "the answer", options);
  const auto convert_all = [&] {
    const auto reader = open_entity_reader(from, in, "file");
    while (const auto entity = reader->next()) {
      const auto properties = view_of(entity->properties);
      const EntityView view{entity->key.partition_key, entity->key.row_key, entity->timestamp, properties};
      if (arguments.hung_up) return;
      out.line = reader->place().line;
      if (out.text.tellp() > kMaxConvertedBytes)
        throw FileError("file", {out.line, 1}, "the answer would have more than 16 MiB");
      writer->write(view);
      out.names.add(view);
      out.lines.push_back(out.line);
    }
  };
  try {
    convert_all();
  } catch (const FileError&) {
    writer->flush();
    throw;
  }
  writer->flush();
}

// An entity that cannot be written has no place of its own.
nlohmann::json error_json(const FileError& error, std::uint64_t line_written) {
  const std::uint64_t line = error.place().line > 0 ? error.place().line : line_written;
  return {{"line", line}, {"column", error.place().column}, {"message", error.what()}};
}

}  // namespace

Response handle_convert(const ControlState&, const ControlArguments& arguments) {
  if (auto refusal = refuse_parameters(arguments.query, {"columns", "from", "header", "to"}))
    return std::move(*refusal);
  const auto from = format_of(arguments.query.get("from")), to = format_of(arguments.query.get("to"));
  if (!from || !to) return control_error(400, "The parameters from and to must be ndjson or csv.");
  const auto header = arguments.query.get("header").value_or("true");
  if (header != "true" && header != "false") return control_error(400, "The parameter header must be true or false.");
  EntityWriterOptions options;
  options.header = header == "true";
  try {
    options.columns = columns_of(arguments.query.get("columns"));
  } catch (const nlohmann::json::exception&) {
    return control_error(400, "The parameter columns must be a JSON list of names.");
  }
  Conversion out;
  nlohmann::json error;
  try {
    convert(*from, *to, arguments, options, out);
  } catch (const FileError& fault) {
    error = error_json(fault, out.line);
  }
  return control_json(200, {{"text", std::move(out.text).str()},
                            {"lines", std::move(out.lines)},
                            {"names", out.names.names()},
                            {"error", std::move(error)}});
}

}  // namespace rocktable
