// The trace of a server, which all its connections share.
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>

#include "server/events/har_entry.h"
#include "server/events/har_file.h"

namespace rocktable {

// Thread-safe. Entries are rendered and written by the thread that calls, as lines of the debug log are.
class Trace {
 public:
  // As HarFile.
  Trace(const std::filesystem::path& path, std::uint64_t max_bytes) : file_(path, max_bytes) {}

  std::uint64_t next_connection() { return ++connections_; }
  void write(const TracedExchange& exchange) { file_.append(har_entry(exchange)); }

 private:
  HarFile file_;
  std::atomic<std::uint64_t> connections_ = 0;
};

}  // namespace rocktable
