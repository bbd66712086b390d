// Chooses the reader or writer of a format.
#include "odata/files/entity_format.h"

#include <utility>

#include "base/text.h"
#include "odata/files/csv.h"
#include "odata/files/ndjson.h"

namespace rocktable {
namespace {

bool ends_ignoring_case(std::string_view text, std::string_view end) {
  return text.size() >= end.size() && equals_ignoring_case(text.substr(text.size() - end.size()), end);
}

}  // namespace

std::optional<EntityFormat> format_of_file(std::string_view name) {
  if (ends_ignoring_case(name, ".ndjson") || ends_ignoring_case(name, ".jsonl")) return EntityFormat::Ndjson;
  if (ends_ignoring_case(name, ".csv")) return EntityFormat::Csv;
  return std::nullopt;
}

std::unique_ptr<EntityReader> open_entity_reader(EntityFormat format, std::istream& in, std::string file) {
  if (format == EntityFormat::Csv) return std::make_unique<CsvReader>(in, std::move(file));
  return std::make_unique<NdjsonReader>(in, std::move(file));
}

std::unique_ptr<EntityWriter> open_entity_writer(EntityFormat format, std::ostream& out, std::string file,
                                                 EntityWriterOptions options) {
  if (format == EntityFormat::Csv) return std::make_unique<CsvWriter>(out, std::move(file), std::move(options));
  return std::make_unique<NdjsonWriter>(out, std::move(file), options.timestamps);
}

}  // namespace rocktable
