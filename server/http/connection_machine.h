// What a connection does, how long it may do so, and what ends it. No I/O, and every function can be given the time.
#pragma once

#include <atomic>
#include <chrono>

#include "server/limits/timeouts.h"

namespace rocktable {

// What a connection is doing.
enum class ConnectionState {
  Handshake,  // of TLS
  Idle,       // waits for the first byte of a request
  Releasing,  // likewise; it stops reading for a moment, to release its buffers
  Head,       // reads the rest of the request line, and the headers
  Body,       // reads the body of the request
  Waiting,    // waits for memory to read on
  Queued,     // waits for a place among the connections
  Working,    // runs the call
  Writing,    // writes the response
  Streaming,  // writes a response that does not end by itself
  Closing,    // waits for the client to read the last response and to close
};

// Belongs to the thread of the connection.
class ConnectionMachine {
 public:
  using Clock = std::chrono::steady_clock;
  using State = ConnectionState;

  // What a connection holds, and what others want of it.
  struct Use {
    bool holds_buffers = false;  // more than an idle connection needs
    bool others_wait = false;    // for a place, or for the memory of connections
    bool must_leave = false;     // this one waits for a place, and further ones want to come in
    // The request, or a handshake, holds memory, and the shared budget is spent.
    bool request_is_short = false;
    bool response_is_short = false;  // likewise the response
    bool bytes_wait = false;         // the client has sent bytes that this busy server did not read yet
  };

  enum class Verdict {
    Wait,
    ReleaseBuffers,
    Finish,  // in order: it has been idle for long
    Close,   // at once
  };

  // What must stop so that a connection ends in order. Delays always do.
  enum class Stop {
    Nothing,        // it ends after its response
    WaitForMemory,  // of a request that is not complete
    WaitForClient,  // its I/O, which would take as long as the client likes
    Everything,     // the connection
  };

  explicit ConnectionMachine(const Timeouts& timeouts) : timeouts_(timeouts) {}

  void enter(State state) { enter(state, Clock::now()); }
  void enter(State state, Clock::time_point now) {
    state_ = state;
    since_ = progress_ = now;
  }
  // The client sent or took bytes of something large.
  void note_progress() { note_progress(Clock::now()); }
  void note_progress(Clock::time_point now) { progress_ = now; }

  State state() const { return state_; }
  Clock::time_point since() const { return since_; }  // of the state
  bool is_between_requests() const {
    return state_ == State::Idle || state_ == State::Releasing || state_ == State::Head;
  }

  // begin_release() comes before the pending read is cancelled because its buffer shall be released, end_release()
  // after it. The idle time goes on.
  void begin_release() { state_ = State::Releasing; }
  // Returns whether it was begun.
  bool end_release();

  // No further request is served. Returns what must stop.
  Stop finish();
  bool is_finishing() const { return is_finishing_; }

  // The client is gone. Nothing brings it back.
  void hang_up() { has_hung_up_ = true; }
  // Also read by the threads that run a call.
  const std::atomic<bool>& has_hung_up() const { return has_hung_up_; }

  bool must_end() const { return is_finishing_ || has_hung_up_; }

  // Call it about once a second.
  Verdict check(Clock::time_point now, const Use& use) const;

 private:
  bool is_late(Clock::time_point now, const Use& use) const;

  Timeouts timeouts_;
  State state_ = State::Idle;
  Clock::time_point since_;
  Clock::time_point progress_;
  bool is_finishing_ = false;
  std::atomic<bool> has_hung_up_ = false;
};

}  // namespace rocktable
