// One request as those who look at it see it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "server/monitor/request_record.h"

namespace rocktable {

// Thread-safe. Its documents are rendered once, by whoever asks first, however many watch. Signatures and tokens are
// masked in them.
class KeptRequest {
 public:
  // Copies the record.
  explicit KeptRequest(const RequestRecord& record);

  std::uint64_t number() const { return record().number; }
  std::string_view account() const { return record().text(RequestRecord::Account); }

  // The memory that it takes, with its documents.
  std::size_t bytes() const { return bytes_; }

  // {"number": 42, "time": ..., "account": ..., ...} (docs/control-api.md), in one line. `with_details`: also headers
  // and the beginning of the bodies.
  const std::string& json(bool with_details) const;

 private:
  struct Document {
    std::once_flag once;
    std::string text;
  };

  const RequestRecord& record() const { return *reinterpret_cast<const RequestRecord*>(bytes_of_record_.get()); }

  std::unique_ptr<char[]> bytes_of_record_;
  std::size_t bytes_;
  mutable Document short_, detailed_;
};

}  // namespace rocktable
