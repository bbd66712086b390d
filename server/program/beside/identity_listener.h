// Listens for requests to the identity endpoint: plain HTTP on 127.0.0.1, because the libraries ask so.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "server/identity/identity_endpoint.h"

namespace rocktable {

// At most 64 clients are served at once, each for at most 10 seconds. A connection has one request, of at most 16 KiB and
// without a body.
class IdentityListener {
 public:
  using Answer = std::function<IdentityAnswer(const IdentityRequest&)>;

  // Listens on a port of 127.0.0.1 (0: a free one), and answers in a thread of its own, in which `answer` is called.
  // Throws ServerError.
  IdentityListener(std::uint16_t port, Answer answer);
  ~IdentityListener();
  IdentityListener(const IdentityListener&) = delete;
  IdentityListener& operator=(const IdentityListener&) = delete;

  std::uint16_t port() const { return port_; }

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
  std::uint16_t port_;
};

}  // namespace rocktable
