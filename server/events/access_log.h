// The access log: one line per request on standard output (Common Log Format) and, optionally, in a debug
// file.
#pragma once

#include <spdlog/fwd.h>

#include <memory>
#include <string>
#include <string_view>

#include "base/threads/mutex.h"
#include "server/events/request_event.h"

namespace rocktable {

// Thread-safe.
class AccessLog : public RequestEventSink {
 public:
  // `debug_file`: empty: none. Throws std::runtime_error if it cannot be written.
  AccessLog(bool silent, const std::string& debug_file);

  void record(const RequestEvent& event) override;

 private:
  void print(const std::string& line);

  bool silent_;
  Mutex console_mutex_;
  std::shared_ptr<spdlog::logger> file_;
};

}  // namespace rocktable
