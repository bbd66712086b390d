// Entities in the rows of a result, and how they are written.
//
// The timestamp of an entity is in the column `ticks`. In its place, the record has the mark of the write that made it,
// so that a write whose answer was lost finds out whether it happened.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "storage/format/entity_codec.h"
#include "storage/postgres/database/pg_values.h"

namespace rocktable {

// Returns the record in column `record`, with the timestamp of column `ticks`. The rows keep it. Throws CorruptRecord.
std::string_view record_with_ticks(PgRows& rows, int row, int ticks, int record);

// A random number, which no other write has. Never 0.
using WriteMark = std::uint64_t;
WriteMark new_write_mark();

// `mark`: 0: nobody asks later whether this write was applied.
std::string marked_record(WriteMark mark, const EncodedProperties& properties);
// Of the write that made column `record`. Throws CorruptRecord.
WriteMark mark_of(const PgRows& rows, int row, int record);

}  // namespace rocktable
