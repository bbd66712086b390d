#include "server/limits/connection_places.h"

#include <doctest/doctest.h>

#include <memory>
#include <vector>

namespace rocktable::TEST_FILE {
namespace {

using Holder = ConnectionPlaces::Holder;
using Holders = std::vector<std::unique_ptr<Holder>>;

Holders come(ConnectionPlaces& places, std::size_t count) {
  Holders out;
  for (std::size_t i = 0; i < count; ++i) out.push_back(std::make_unique<Holder>(places));
  return out;
}

TEST_CASE("beyond the places a connection is a guest, and gets the next place that becomes free") {
  ConnectionPlaces places(2);
  Holders first = come(places, 2);
  CHECK_FALSE(places.has_guests());
  Holders guests = come(places, 2);
  CHECK(places.has_guests());
  CHECK_FALSE(first[0]->is_guest());
  CHECK(guests[0]->is_guest());
  first.pop_back();
  CHECK_FALSE(guests[0]->is_guest());
  CHECK(guests[1]->is_guest());
  guests.pop_back();
  CHECK_FALSE(places.has_guests());
  first.clear();
  guests.clear();
  CHECK_FALSE(come(places, 2)[1]->is_guest());
}

TEST_CASE("when no guest can come in, those that came first are asked to leave") {
  ConnectionPlaces places(1);
  const Holders first = come(places, 1);
  Holders guests = come(places, ConnectionPlaces::kMaxGuests - 1);
  CHECK_FALSE(places.is_full());
  places.make_room();
  CHECK_FALSE(guests[0]->must_leave());
  guests.push_back(std::make_unique<Holder>(places));
  CHECK(places.is_full());
  places.make_room();
  CHECK(guests[0]->must_leave());
  CHECK_FALSE(guests.back()->must_leave());
  guests.erase(guests.begin());
  CHECK_FALSE(places.is_full());
}

TEST_CASE("a guest that gets a place stays, though it was asked to leave") {
  ConnectionPlaces places(1);
  Holders first = come(places, 1);
  const Holders guests = come(places, ConnectionPlaces::kMaxGuests);
  places.make_room();
  REQUIRE(guests[0]->must_leave());
  first.clear();
  CHECK_FALSE(guests[0]->is_guest());
  CHECK_FALSE(guests[0]->must_leave());
}

}  // namespace
}  // namespace rocktable::TEST_FILE
