// The operations of a batch whose bodies are kept, as people read them. Pure; any bytes are accepted, also the
// beginning of a body.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace rocktable {

struct BatchOperation {
  std::string_view method;
  std::string target;                         // from the account on; without signature
  std::optional<std::string> partition, row;  // of an entity in the body, if it can be read
  int status = 0;                             // of its answer; 0: not known, or not done
};

// `answers`: the body of the response, or its beginning.
std::vector<BatchOperation> batch_operations(std::string_view body, std::string_view answers);

// Sets the keys of an entity in JSON, if they can be read.
void read_keys(std::string_view json, std::optional<std::string>& partition, std::optional<std::string>& row);

}  // namespace rocktable
