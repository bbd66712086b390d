// Waits for a request to stop.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/windows/object_handle.hpp>
#include <utility>

#include "base/platform/stop_requests.h"

namespace rocktable {

// Asio waits for other things on Windows; it says which it can wait for.
class StopWait {
 public:
#ifdef BOOST_ASIO_HAS_POSIX_STREAM_DESCRIPTOR
  StopWait(boost::asio::io_context& context, const StopRequests& requests)
      : event_(context, static_cast<int>(requests.event())) {}

  // Calls `on_asked` on a thread of the context with the first request.
  template <class Function>
  void start(Function on_asked) {
    event_.async_wait(boost::asio::posix::descriptor_base::wait_read, when_asked(std::move(on_asked)));
  }
#else
  StopWait(boost::asio::io_context& context, const StopRequests& requests)
      : event_(context, reinterpret_cast<void*>(requests.event())) {}

  template <class Function>
  void start(Function on_asked) {
    event_.async_wait(when_asked(std::move(on_asked)));
  }
#endif

  // `on_asked` is not called any more.
  void cancel() {
    boost::system::error_code ignored;
    event_.cancel(ignored);
  }

 private:
  template <class Function>
  static auto when_asked(Function on_asked) {
    return [on_asked = std::move(on_asked)](const boost::system::error_code& error) {
      if (!error) on_asked();
    };
  }

#ifdef BOOST_ASIO_HAS_POSIX_STREAM_DESCRIPTOR
  boost::asio::posix::stream_descriptor event_;
#else
  boost::asio::windows::object_handle event_;
#endif
};

}  // namespace rocktable
