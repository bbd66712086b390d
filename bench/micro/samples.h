// The data of the microbenchmarks: the 1 KB entity with ten properties that all benchmarks use, and its
// forms.
#pragma once

#include <string>
#include <vector>

#include "bench/sample_entities.h"
#include "odata/entity.h"
#include "odata/payload_writer.h"
#include "odata/protocol/development_account.h"

namespace rocktable::micro {

inline constexpr std::size_t kNumber = 1234;

inline PayloadFormat format(MetadataLevel level) {
  return {level, "http://127.0.0.1:10002/devstoreaccount1", kDevelopmentAccount, "entities"};
}

// An entity and a view of it. Not copyable, because the view points into the entity.
struct SampleEntity {
  explicit SampleEntity(std::size_t number = kNumber)
      : partition_key(partition_of(number)), row_key(row_of(number)), properties(properties_of(number)) {}
  SampleEntity(const SampleEntity&) = delete;
  SampleEntity& operator=(const SampleEntity&) = delete;

  std::string partition_key, row_key;
  Properties properties;
  std::vector<PropertyView> views = view_of(properties);
  EntityView view{partition_key, row_key, DateTime{637'000'000'001'234'567}, views};
};

inline std::string entity_json() {
  std::string out;
  write_entity(out, format(MetadataLevel::Minimal), std::nullopt, SampleEntity().view);
  return out;
}

}  // namespace rocktable::micro
