#include "server/insight/repeated_reads.h"

#include <algorithm>

#include "odata/insight/shown_key.h"
#include "server/insight/query_shape.h"

namespace rocktable {

void RepeatedReads::add(const Read& read) {
  Place& place = places_[read.entity % places_.size()];
  if (place.entity != read.entity) {
    if (place.reads > 0) --place.reads;
    if (place.reads == 0) place = {read.entity, 1};
    return;
  }
  ++place.reads;
  if (place.reads < kMinReads) return;
  if (read.entity != most_entity_) {
    if (place.reads <= most_.count + most_.count / 4) return;  // two that lead in turn would copy texts at each read
    most_entity_ = read.entity;
    most_.subject = shown_key(read.partition_key) + ", " + shown_key(read.row_key);
    most_.example = example_of(read.method, read.target);
    most_.client = read.client;
  }
  most_.count = std::max<std::uint64_t>(most_.count, place.reads);
}

void RepeatedReads::forget(std::uint64_t entity) {
  Place& place = places_[entity % places_.size()];
  if (place.entity == entity) place = {};
}

std::optional<Evidence> RepeatedReads::most() const { return most_.count > 0 ? std::optional(most_) : std::nullopt; }

}  // namespace rocktable
