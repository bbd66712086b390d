// Any bytes as lines of entities: refused at a place within the file, or entities that are the same when written and read
// again.
#include "odata/files/entity_format.h"
#include "tests/fuzz/entity_files.h"
#include "tests/fuzz/targets.h"

namespace rocktable {

void fuzz_ndjson(std::string_view input) { require_sound_file(EntityFormat::Ndjson, input); }

}  // namespace rocktable
