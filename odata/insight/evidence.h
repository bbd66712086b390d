// What a detector has seen of one kind of finding.
#pragma once

#include <cstdint>
#include <string>

namespace rocktable {

struct Evidence {
  std::uint64_t count = 0;  // of requests or entities
  std::string subject;      // quoted in the sentence: a partition, a key
  std::string example;      // a request; empty: none
  std::string client;
};

}  // namespace rocktable
