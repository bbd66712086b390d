// Sends requests that were made beforehand, and reads of their answers the little that measuring needs.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "bench/samples.h"

namespace rocktable {

enum class Transport { Plain, Tls };

struct Answer {
  int status = 0;
  std::string_view head;  // status line and headers
  std::string_view body;
  std::string_view raw;  // all bytes as they came

  // The value of a header; empty where there is none.
  std::string header(std::string_view name) const;
};

// One connection, one request at a time.
class HttpClient {
 public:
  // Over TLS it believes any certificate.
  explicit HttpClient(std::uint16_t port, Transport transport = Transport::Plain);
  ~HttpClient();
  HttpClient(const HttpClient&) = delete;
  HttpClient& operator=(const HttpClient&) = delete;

  // The answer lasts until the next one. Throws std::runtime_error where the connection breaks or the status is 400 or
  // above.
  Answer exchange(std::string_view request);

 private:
  struct Connection;
  std::unique_ptr<Connection> connection_;
};

struct LoadResult {
  Samples latencies;
  double seconds = 0;

  double rate() const { return static_cast<double>(latencies.microseconds.size()) / seconds; }
};

// So many connections at once, each with its next request once it has its answer, for so long or until `next`, called for
// each request, returns an empty one. Throws as exchange() does.
LoadResult load(std::uint16_t port, int connections, std::chrono::milliseconds time,
                const std::function<std::string_view()>& next);

}  // namespace rocktable
