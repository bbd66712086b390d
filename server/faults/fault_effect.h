// What happens to a request that a fault rule hits.
#pragma once

#include <cstddef>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string_view>
#include <vector>

#include "odata/error.h"
#include "odata/files/json_reader.h"
#include "server/behaviour/delay.h"
#include "server/faults/header_changes.h"
#include "server/tls/handshake_fault.h"

namespace rocktable {

struct FaultEffect {
  enum class At {
    Handshake,  // of TLS: only the name that the client wants to reach is known, which may begin with the account
    Arrival,    // before anything but account and method is looked at: also requests that the service would refuse
    BeforeCommit,
    AfterCommit,
  };
  enum class Kind {
    Handshake,    // it fails
    Keep,         // the service's own answer, late, slowly, or with other headers
    Error,        // of the service
    Status,       // of something between the client and the service: no code, no document
    ClientClock,  // the error for a client whose clock is wrong
    Reset,        // TCP RST
    Close,        // the connection ends in order, without a response
    Cut,          // it ends after some bytes of the response
  };

  Kind kind = Kind::Keep;
  At at = At::BeforeCommit;
  Error error;
  HandshakeFault handshake = HandshakeFault::None;
  int status = 0;                 // of Kind::Status
  std::int64_t clock_offset = 0;  // ticks by which the client's clock is fast
  std::size_t cut_after = 0;      // bytes
  std::size_t answer_rate = 0;    // bytes of the answer's body in a second; 0: as fast as the client reads
  std::size_t request_rate = 0;   // likewise of the request's body
  std::vector<HeaderChange> headers;
  Delay delay;

  // Whether the client gets an answer, which can be slow and have other headers.
  bool has_answer() const { return kind != Kind::Reset && kind != Kind::Close; }
};

// Reads the member `then`. Throws FileError.
FaultEffect read_effect(const JsonReader& then);

// Writes the same form.
nlohmann::json to_json(const FaultEffect& effect);

}  // namespace rocktable
