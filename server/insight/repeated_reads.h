// Finds entities that are read again and again although nothing has changed them, in bounded memory.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "odata/insight/evidence.h"

namespace rocktable {

class RepeatedReads {
 public:
  static constexpr std::uint32_t kMinReads = 50;

  struct Read {
    std::uint64_t entity;  // hash of its keys; 0: none
    std::string_view partition_key, row_key, method, target, client;
  };

  // A read of an entity by its keys that found it.
  void add(const Read& read);
  // A write to the entity: the next read may find something else.
  void forget(std::uint64_t entity);

  // The entity that was read most, if that was kMinReads or more. The subject is `p`, `r`.
  std::optional<Evidence> most() const;

 private:
  struct Place {
    std::uint64_t entity = 0;
    std::uint32_t reads = 0;
  };

  // By hash. An entity takes the place of another one that was read less since: frequent ones stay.
  std::array<Place, 32> places_{};
  std::uint64_t most_entity_ = 0;
  Evidence most_;
};

}  // namespace rocktable
