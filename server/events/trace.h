// The trace of a server, shared by all connections.
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>

#include "server/events/har_entry.h"
#include "server/events/har_file.h"

namespace rocktable {

// Thread-safe. The calling thread renders and writes the entry, as in the debug log.
class Trace {
 public:
  // Parameters and errors of HarFile.
  Trace(const std::filesystem::path& path, std::uint64_t max_bytes) : file_(path, max_bytes) {}

  std::uint64_t next_connection() { return ++connections_; }
  void write(const TracedExchange& exchange) { file_.append(har_entry(exchange)); }

 private:
  HarFile file_;
  std::atomic<std::uint64_t> connections_ = 0;
};

}  // namespace rocktable
