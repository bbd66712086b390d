// Sends requests that were created in advance, and reads only what measuring needs of their responses.
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

struct HttpResponse {
  int status = 0;
  std::string_view head;  // status line and headers
  std::string_view body;
  std::string_view raw;  // all bytes as received

  // Returns the value of a header, or an empty string if there is none.
  std::string header(std::string_view name) const;
};

// One connection, one request at a time.
class HttpClient {
 public:
  // Over TLS it accepts any certificate.
  explicit HttpClient(std::uint16_t port, Transport transport = Transport::Plain);
  ~HttpClient();
  HttpClient(const HttpClient&) = delete;
  HttpClient& operator=(const HttpClient&) = delete;

  // The response is valid until the next call. Throws std::runtime_error if the connection breaks or the
  // status is 400 or above.
  HttpResponse exchange(std::string_view request);

 private:
  struct Connection;
  std::unique_ptr<Connection> connection_;
};

struct LoadResult {
  Samples latencies;
  double seconds = 0;

  double rate() const { return static_cast<double>(latencies.microseconds.size()) / seconds; }
};

// Opens this many connections. Each sends its next request after each response, until `time` has passed or
// `next`, called for each request, returns an empty one. Throws as exchange() does.
LoadResult load(std::uint16_t port, int connections, std::chrono::milliseconds time,
                const std::function<std::string_view()>& next);

}  // namespace rocktable
