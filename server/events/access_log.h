// What the emulator tells of its requests: a line each on standard output (Common Log Format) and, asked for,
// in a file.
#pragma once

#include <spdlog/fwd.h>

#include <chrono>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

namespace rocktable {

// One request and its answer, as the log sees them.
struct AccessRecord {
  std::string_view remote_address;
  std::string_view method;
  std::string_view target;  // signatures in it are not written
  int status;
  std::size_t body_bytes;  // of the answer
  std::string_view request_id;
  std::string_view plan_class;  // empty where nothing was read by key
  std::uint64_t entities_scanned;
  std::uint64_t entities_returned;
  std::uint64_t bytes_read;
  std::chrono::microseconds duration;  // from the last byte read to the answer
  std::string_view explanation = {};   // why access was refused; empty: it was not, or nobody asks
};

// Thread-safe.
class AccessLog {
 public:
  // `debug_file`: empty for none. Throws std::runtime_error where it cannot be written.
  AccessLog(bool silent, const std::string& debug_file);

  void write(const AccessRecord& record);

 private:
  void print(const std::string& line);

  bool silent_;
  std::mutex console_mutex_;
  std::shared_ptr<spdlog::logger> file_;
};

}  // namespace rocktable
