// Finds the process that holds a port, as far as the system shows it.
#pragma once

#include <boost/asio/ip/tcp.hpp>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

namespace rocktable {

// The process whose socket keeps others from listening.
struct PortHolder {
  boost::asio::ip::tcp::endpoint listens_at;
  std::int64_t pid = 0;  // 0: a process that this user may not inspect
  std::string program;   // its name; empty with pid 0
};

// Finds the socket that keeps others from listening at `endpoint`: on the same address, or on all addresses. Returns
// nullopt if there is none. `proc` is the mount point of that file system.
std::optional<PortHolder> find_port_holder(const boost::asio::ip::tcp::endpoint& endpoint,
                                           const std::filesystem::path& proc = "/proc");

// The sentence for the user. It ends with `advice`: what to do.
std::string taken_port_message(const boost::asio::ip::tcp::endpoint& endpoint, const std::string& advice);

}  // namespace rocktable
