// Any bytes as NDJSON: refused at a position within the file, or entities that are unchanged after writing
// and reading.
#include "odata/files/entity_format.h"
#include "tests/fuzz/entity_files.h"
#include "tests/fuzz/targets.h"

namespace rocktable {

void fuzz_ndjson(std::string_view input) { require_sound_file(EntityFormat::Ndjson, input); }

}  // namespace rocktable
