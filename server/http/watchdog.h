// Decides when a connection has waited for its client for too long, and when it holds memory that it does not need. Pure:
// times are parameters, and nothing here knows a socket.
#pragma once

#include <chrono>

#include "server/limits/timeouts.h"

namespace rocktable {

// What a connection is doing.
enum class ConnectionState {
  Handshake,  // of TLS
  Idle,       // waits for the first byte of a request
  Head,       // reads the rest of its line and headers
  Body,       // reads its body
  Waiting,    // waits for memory to read on
  Queued,     // waits for a place among the connections
  Working,    // runs the call
  Writing,    // writes the response
  Closing,    // waits for the client to read the last response and to close
};

class Watchdog {
 public:
  using Clock = std::chrono::steady_clock;

  // The state of a connection besides time.
  struct ConnectionUse {
    bool finishing = false;      // the connection ends after the current response
    bool holds_buffers = false;  // more than an idle connection needs
    bool others_wait = false;    // for a place, or for the memory of connections
    bool must_leave = false;     // this one waits for a place, and further ones want to come in
    bool request_is_short =
        false;  // the request, or a handshake, holds memory, and the shared budget is spent
    bool response_is_short = false;  // the response does
  };

  enum class Verdict {
    Wait,
    ReleaseBuffers,
    Finish,  // in order: it has been idle for long
    Close,   // at once
  };

  explicit Watchdog(const Timeouts& timeouts) : timeouts_(timeouts) {}

  void enter(ConnectionState state, Clock::time_point now) {
    state_ = state;
    since_ = progress_ = now;
  }
  // The client sent or took bytes of something large.
  void note_progress(Clock::time_point now) { progress_ = now; }

  ConnectionState state() const { return state_; }
  Clock::time_point since() const { return since_; }  // of the state

  Verdict check(Clock::time_point now, const ConnectionUse& use) const;

 private:
  bool is_late(Clock::time_point now, const ConnectionUse& use) const;

  Timeouts timeouts_;
  ConnectionState state_ = ConnectionState::Idle;
  Clock::time_point since_;
  Clock::time_point progress_;
};

}  // namespace rocktable
