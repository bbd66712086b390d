#include "server/limits/connection_places.h"

namespace rocktable {

ConnectionPlaces::Holder::Holder(ConnectionPlaces& places) : places_(places) {
  const std::lock_guard lock(places_.mutex_);
  if (places_.places_held_ < places_.limit_) {
    ++places_.places_held_;
    return;
  }
  is_guest_ = true;
  entry_ = places_.guests_.insert(places_.guests_.end(), this);
  places_.guests_waiting_ = places_.guests_.size();
}

ConnectionPlaces::Holder::~Holder() {
  const std::lock_guard lock(places_.mutex_);
  auto& guests = places_.guests_;
  if (is_guest_) {
    guests.erase(entry_);
  } else if (guests.empty()) {
    --places_.places_held_;
  } else {
    Holder& next = *guests.front();
    guests.pop_front();
    next.is_guest_ = false;
    next.must_leave_ = false;
  }
  places_.guests_waiting_ = guests.size();
}

bool ConnectionPlaces::is_full() const {
  const std::lock_guard lock(mutex_);
  return guests_.size() >= kMaxGuests;
}

void ConnectionPlaces::make_room() {
  const std::lock_guard lock(mutex_);
  if (guests_.size() < kMaxGuests) return;
  std::size_t count = kMaxGuests / 2;
  for (Holder* const guest : guests_) {
    if (count-- == 0) return;
    guest->must_leave_ = true;
  }
}

}  // namespace rocktable
