// The places of connections. Some more connections than there are places are accepted as guests: they can always use
// the control API, and other requests wait there for a place. So whoever fills the places cannot keep the owner out.
#pragma once

#include <atomic>
#include <cstddef>
#include <list>

#include "base/threads/mutex.h"

namespace rocktable {

// Thread-safe.
class ConnectionPlaces {
 public:
  // Guests beside the connections with a place.
  static constexpr std::size_t kMaxGuests = 64;

  // `limit`: the number of places, at least 1.
  explicit ConnectionPlaces(std::size_t limit) : limit_(limit) {}

  // One connection. It has a place if one is free, and is a guest otherwise. A place that becomes free goes to the
  // guest that came first.
  class Holder {
   public:
    explicit Holder(ConnectionPlaces& places);
    ~Holder();
    Holder(const Holder&) = delete;
    Holder& operator=(const Holder&) = delete;

    bool is_guest() const { return is_guest_; }
    // Whether this guest is to end, because others want to come in.
    bool must_leave() const { return must_leave_; }

   private:
    friend class ConnectionPlaces;

    ConnectionPlaces& places_;
    std::atomic<bool> is_guest_ = false;
    std::atomic<bool> must_leave_ = false;
    std::list<Holder*>::iterator entry_;  // of a guest
  };

  // Whether not even a guest can come in.
  bool is_full() const;

  // Whether guests wait for a place.
  bool has_guests() const { return guests_waiting_ > 0; }

  // Asks the guests that came first to leave, if no guest can come in.
  void make_room();

 private:
  const std::size_t limit_;
  mutable Mutex mutex_;
  std::size_t places_held_ = 0;
  std::list<Holder*> guests_;                    // in the order in which they came
  std::atomic<std::size_t> guests_waiting_ = 0;  // the length of that list
};

}  // namespace rocktable
