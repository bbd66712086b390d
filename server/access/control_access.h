// Access control of the control API (/_rocktable/...). Pure: decides by the headers of the request and by the
// addresses that the server listens at.
//
// A web page in a browser on this machine can send requests to the server. Two rules refuse them without any
// secret: DNS rebinding: the Host must be an address or name of this server. CSRF: the Origin, if present,
// must be that Host. If other machines can reach the server, or if a token is configured, a request also
// needs a token or a signature.
#pragma once

#include <boost/asio/ip/address.hpp>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "odata/protocol/headers.h"

namespace rocktable {

struct ControlPolicy {
  std::vector<boost::asio::ip::address> addresses;  // listening addresses; an unspecified one means all
  std::string host;                                 // value of --tableHost; may be empty
  std::string token;                                // empty: none, only signatures are accepted
  std::string machine = {};                         // the host name of this machine; may be empty

  // True if a request needs a token or a signature: a token is configured, or the server listens at an
  // address that is not a loopback.
  bool requires_credentials() const;

  // True if the server listens at an address that is not a loopback.
  bool is_open_to_others() const;
};

// Whether the Host is a loopback address, one that the server listens on, localhost or below it, or --tableHost.
bool is_own_host(const ControlPolicy& policy, const Headers& headers);

struct ControlRefusal {
  int status;  // 401 or 403
  std::string error;
};

// True for `health` and `ready`: container probes use them, and they disclose nothing.
bool is_public_resource(std::string_view control_resource);

// Returns nullopt if the request is allowed.
//
//   resource   path after /_rocktable/, without query
//   is_signed  returns whether the request has a valid Shared Key signature of some account; called at
//              most once, and only if the result matters
std::optional<ControlRefusal> refuse_control(const ControlPolicy& policy, std::string_view resource,
                                             const Headers& headers, const std::function<bool()>& is_signed);

// Returns nullopt if a browser may load the pages of the explorer, which hold no data. They need no credentials, but
// a server that other machines can reach must have a token: without one, nobody could use them. A link on another page
// may lead to them.
std::optional<ControlRefusal> refuse_page(const ControlPolicy& policy, const Headers& headers);

}  // namespace rocktable
