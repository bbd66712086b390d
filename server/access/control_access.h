// What a request for the control surface must show before anything there is done or told. Pure: it knows the
// request's headers and what the server listens at.
//
// A page in a browser of this machine reaches whatever listens here. Two rules keep it out, without any
// secret: the Host must be one of ours (a name that a stranger's DNS makes point here is not), and the Origin
// must be that Host. Where others than this machine can reach the server, a request must show that it may,
// too.
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
  std::vector<boost::asio::ip::address>
      addresses;      // that the server listens at; an unspecified one means all
  std::string host;   // as --tableHost has it; may be empty
  std::string token;  // empty: none, signatures alone are taken

  // Whether a request must show a token or a signature: there is a token, or the server listens at an address
  // that is not a loopback.
  bool asks_for_credentials() const;
};

struct ControlRefusal {
  int status;  // 401 or 403
  std::string error;
};

// Probes of containers ask for these, and they tell nothing: `health`, `ready`.
bool is_open_to_all(std::string_view control_resource);

// Nothing where the request may go on.
//
//   resource   behind /_rocktable/, without query
//   is_signed  whether the request has a valid Shared Key (Lite) of some account; asked at most once, and
//              where it matters alone
std::optional<ControlRefusal> refuse_control(const ControlPolicy& policy, std::string_view resource,
                                             const Headers& headers, const std::function<bool()>& is_signed);

}  // namespace rocktable
