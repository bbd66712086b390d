// Who listens on which port of this machine, as far as the system shows it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace rocktable {

struct ListeningSocket {
  std::vector<unsigned char> address;  // 4 bytes of IPv4, or 16 of IPv6; all zero: all addresses
  std::uint16_t port = 0;
  std::uint64_t id = 0;  // for process_of()
};

// A process, with the name of its program.
struct NamedProcess {
  std::int64_t id = 0;
  std::string program;
};

// All TCP sockets that listen, those of IPv4 first. `proc` is the mount point of that file system, where there is one.
std::vector<ListeningSocket> listening_sockets(const std::filesystem::path& proc = "/proc");

// The process of a socket; nullopt if this user may not inspect it.
std::optional<NamedProcess> process_of(const ListeningSocket& socket, const std::filesystem::path& proc = "/proc");

}  // namespace rocktable
