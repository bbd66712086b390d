#include "server/logs/recent_ids.h"

#include <algorithm>

namespace rocktable {

bool RecentIds::add(std::uint64_t hash) {
  hash = std::max<std::uint64_t>(hash, 1);
  Set& older = sets_[1 - newer_];
  if (!older.slots.empty() && *find_slot(older, hash) == hash) return false;
  Set& newer = sets_[newer_];
  if (newer.slots.empty()) newer.slots.resize(kSlots);
  std::uint64_t& slot = *find_slot(newer, hash);
  if (slot == hash) return false;
  slot = hash;
  if (++newer.count < kMinKept) return true;
  newer_ = 1 - newer_;
  sets_[newer_].slots.assign(kSlots, 0);
  sets_[newer_].count = 0;
  return true;
}

// The slot with this hash, or the free one where it belongs.
std::uint64_t* RecentIds::find_slot(Set& set, std::uint64_t hash) {
  std::size_t place = hash % kSlots;
  while (set.slots[place] != 0 && set.slots[place] != hash) place = (place + 1) % kSlots;
  return &set.slots[place];
}

}  // namespace rocktable
