// Writes responses to the client: whole, as a stream of parts, or ended early on purpose.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <cstddef>
#include <string>
#include <string_view>

#include "server/events/connection_trace.h"
#include "server/http/connection_machine.h"
#include "server/http/connection_waits.h"
#include "server/http/stream.h"
#include "server/limits/connection_places.h"
#include "server/request/response.h"

namespace rocktable {

// What it refers to must outlive it.
class ResponseWriter {
 public:
  // `trace`: null: none.
  ResponseWriter(Stream& stream, ConnectionMachine& machine, ConnectionWaits& waits,
                 const ConnectionPlaces::Holder& place, ConnectionTrace* trace)
      : stream_(stream), machine_(machine), waits_(waits), place_(place), trace_(trace) {}

  // Writes at the rate of the response's delivery, if it has one. Returns whether all of it was written.
  boost::asio::awaitable<bool> write(const Response& response, const ResponseOptions& options);

  // Writes the parts of a stream as they come, until the client hangs up or the server stops. For HTTP/1.0, which has
  // no chunks, the stream is empty.
  boost::asio::awaitable<void> write_stream(BodyStream& stream, const ResponseOptions& options);

  // Writes as much as the response's delivery asks for. The connection must end then.
  boost::asio::awaitable<void> write_beginning(const Response& response, const ResponseOptions& options);

  // Of the buffer that it uses again.
  std::size_t capacity() const { return outgoing_.capacity(); }
  void release() { std::string().swap(outgoing_); }

 private:
  boost::asio::awaitable<bool> write_at_rate(std::string_view bytes, std::size_t bytes_per_second);

  Stream& stream_;
  ConnectionMachine& machine_;
  ConnectionWaits& waits_;
  const ConnectionPlaces::Holder& place_;
  ConnectionTrace* const trace_;
  std::string outgoing_;  // the response, or its beginning
};

}  // namespace rocktable
