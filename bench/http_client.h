// Requests that are signed beforehand, and the little that measuring needs to read of their answers.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "bench/samples.h"

namespace rocktable {

// The bytes of a request of the development account, signed with its key (Shared Key Lite), which is good for fifteen
// minutes. `resource` stands behind the account: `/Tables`.
std::string request_bytes(std::string_view method, std::string_view resource, std::string_view body = "",
                          std::string_view content_type = "application/json");

// Text in the query of a URL.
std::string percent_encoded(std::string_view text);

struct Answer {
  int status = 0;
  std::string head;  // status line and headers
  std::string body;

  // The value of a header; empty where there is none. The name is as the server spells it.
  std::string header(std::string_view name) const;
};

// One connection, one request at a time.
class HttpClient {
 public:
  explicit HttpClient(std::uint16_t port);

  // Throws std::runtime_error where the connection breaks or the status is 400 or above.
  Answer exchange(std::string_view request);

 private:
  boost::asio::io_context context_;
  boost::asio::ip::tcp::socket socket_;
};

// So many connections at once for so long, each with its next request once it has its answer. `next` is called for each
// request. Returns how long each took; throws as exchange() does.
Samples load(std::uint16_t port, int connections, std::chrono::milliseconds time,
             const std::function<std::string_view()>& next);

}  // namespace rocktable
