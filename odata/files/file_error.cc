// Writes FILE:LINE:COLUMN in front of the sentence of an error.
#include "odata/files/file_error.h"

#include <string>

namespace rocktable {
namespace {

std::string sentence_at(std::string_view file, FilePlace place, std::string_view sentence) {
  std::string out(file);
  if (place.line != 0) out += ':' + std::to_string(place.line) + ':' + std::to_string(place.column);
  out += ": ";
  out += sentence;
  return out;
}

}  // namespace

FileError::FileError(std::string_view file, FilePlace place, std::string_view sentence)
    : std::runtime_error(sentence_at(file, place, sentence)), place_(place) {}

}  // namespace rocktable
