// Who has a port that is taken, as far as /proc tells.
#pragma once

#include <sys/types.h>

#include <boost/asio/ip/tcp.hpp>
#include <filesystem>
#include <optional>
#include <string>

namespace rocktable {

// A socket that listens where nobody else can.
struct PortHolder {
  boost::asio::ip::tcp::endpoint listens_at;
  pid_t pid = 0;        // 0: a process that this user may not look at
  std::string program;  // its name; empty with pid 0
};

// Looks for the socket that is in the way of listening at `endpoint`: the same address, or all of the machine. Nothing where
// none is found. `proc` is the folder of that file system.
std::optional<PortHolder> find_port_holder(const boost::asio::ip::tcp::endpoint& endpoint,
                                           const std::filesystem::path& proc = "/proc");

// The sentence for the user, with `way_out` behind it: what to do now.
std::string about_taken_port(const boost::asio::ip::tcp::endpoint& endpoint, const std::string& way_out);

}  // namespace rocktable
