#include "base/platform/listening_sockets.h"

#include <algorithm>
#include <charconv>
#include <fstream>
#include <sstream>
#include <string_view>

namespace rocktable {
namespace {

namespace fs = std::filesystem;

constexpr const char* kListening = "0A";
constexpr std::size_t kWord = 8;  // hexadecimal digits of 32 bits
constexpr std::size_t kV4Digits = 8, kV6Digits = 32;

std::optional<std::uint32_t> parse_hex(std::string_view digits) {
  constexpr int kHexadecimal = 16;
  std::uint32_t out = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), out, kHexadecimal);
  if (error != std::errc() || end != digits.data() + digits.size()) return std::nullopt;
  return out;
}

// The kernel prints an address as 32-bit words, each in the byte order of this machine.
std::optional<std::vector<unsigned char>> parse_address(std::string_view digits) {
  if (digits.size() != kV4Digits && digits.size() != kV6Digits) return std::nullopt;
  std::vector<unsigned char> out;
  for (std::size_t i = 0; i < digits.size(); i += kWord) {
    const auto word = parse_hex(digits.substr(i, kWord));
    if (!word) return std::nullopt;
    std::copy_n(reinterpret_cast<const unsigned char*>(&*word), sizeof *word, std::back_inserter(out));
  }
  return out;
}

// Parses `0100007F:2712`, or the same form with an IPv6 address, and the number of the inode.
std::optional<ListeningSocket> parse_socket(std::string_view local, std::string_view inode) {
  const std::size_t colon = local.find(':');
  if (colon == local.npos) return std::nullopt;
  const auto port = parse_hex(local.substr(colon + 1));
  const auto address = parse_address(local.substr(0, colon));
  std::uint64_t id = 0;
  if (!port || !address || std::from_chars(inode.data(), inode.data() + inode.size(), id).ec != std::errc())
    return std::nullopt;
  return ListeningSocket{*address, static_cast<std::uint16_t>(*port), id};
}

// Adds what listens in a table such as /proc/net/tcp.
void add_sockets(const fs::path& table, std::vector<ListeningSocket>& out) {
  std::ifstream in(table);
  std::string line;
  while (std::getline(in, line)) {
    std::istringstream fields(line);
    std::string number, local, remote, state, queues, timer, retransmits, user, timeout, inode;
    if (!(fields >> number >> local >> remote >> state >> queues >> timer >> retransmits >> user >> timeout >> inode) ||
        state != kListening)
      continue;
    if (auto socket = parse_socket(local, inode)) out.push_back(std::move(*socket));
  }
}

bool has_socket(const fs::path& process, std::uint64_t inode) {
  const std::string wanted = "socket:[" + std::to_string(inode) + "]";
  std::error_code error;
  for (fs::directory_iterator file(process / "fd", error), end; !error && file != end; file.increment(error)) {
    std::error_code gone;
    if (fs::read_symlink(file->path(), gone) == wanted) return true;
  }
  return false;
}

}  // namespace

std::vector<ListeningSocket> listening_sockets(const fs::path& proc) {
  std::vector<ListeningSocket> out;
  for (const char* table : {"net/tcp", "net/tcp6"}) add_sockets(proc / table, out);
  return out;
}

std::optional<NamedProcess> process_of(const ListeningSocket& socket, const fs::path& proc) {
  std::error_code error;
  for (fs::directory_iterator entry(proc, error), end; !error && entry != end; entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    NamedProcess out;
    const auto [rest, bad] = std::from_chars(name.data(), name.data() + name.size(), out.id);
    if (bad != std::errc() || rest != name.data() + name.size() || !has_socket(entry->path(), socket.id)) continue;
    std::ifstream command(entry->path() / "comm");
    std::getline(command, out.program);
    return out;
  }
  return std::nullopt;
}

}  // namespace rocktable
