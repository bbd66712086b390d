// The body of a response that has no end, for clients that watch.
#pragma once

#include <string>

namespace rocktable {

class BodyStream {
 public:
  virtual ~BodyStream() = default;

  // Returns the bytes that came since the last call; empty: none. Called several times a second on the thread of the
  // connection, so it must not block.
  virtual std::string next() = 0;
};

}  // namespace rocktable
