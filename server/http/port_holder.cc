#include "server/http/port_holder.h"

#include <algorithm>
#include <charconv>
#include <fstream>
#include <sstream>

namespace rocktable {
namespace {

namespace fs = std::filesystem;
namespace ip = boost::asio::ip;

constexpr const char* kListening = "0A";
constexpr std::size_t kWord = 8;  // hexadecimal digits of 32 bits

struct ListeningSocket {
  ip::tcp::endpoint at;
  std::string inode;
};

std::optional<std::uint32_t> parse_hex(std::string_view digits) {
  constexpr int kHexadecimal = 16;
  std::uint32_t out = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), out, kHexadecimal);
  if (error != std::errc() || end != digits.data() + digits.size()) return std::nullopt;
  return out;
}

// The kernel prints an address as 32-bit words, each in the byte order of this machine.
template <class Address>
std::optional<Address> parse_address(std::string_view digits) {
  typename Address::bytes_type bytes;
  if (digits.size() != 2 * bytes.size()) return std::nullopt;
  auto* to = bytes.data();
  for (std::size_t i = 0; i < digits.size(); i += kWord) {
    const auto word = parse_hex(digits.substr(i, kWord));
    if (!word) return std::nullopt;
    to = std::copy_n(reinterpret_cast<const unsigned char*>(&*word), sizeof *word, to);
  }
  return Address(bytes);
}

// Parses `0100007F:2712`, or the same form with an IPv6 address.
std::optional<ip::tcp::endpoint> parse_endpoint(std::string_view text) {
  const std::size_t colon = text.find(':');
  if (colon == text.npos) return std::nullopt;
  const auto port = parse_hex(text.substr(colon + 1));
  if (!port) return std::nullopt;
  const std::string_view digits = text.substr(0, colon);
  if (const auto v4 = parse_address<ip::address_v4>(digits))
    return ip::tcp::endpoint(*v4, static_cast<std::uint16_t>(*port));
  if (const auto v6 = parse_address<ip::address_v6>(digits))
    return ip::tcp::endpoint(*v6, static_cast<std::uint16_t>(*port));
  return std::nullopt;
}

// Whether a socket that listens at `at` keeps others from listening at `endpoint`. [::] includes IPv4, unless its
// socket is set to IPv6 only, as those of this server are.
bool is_in_the_way(const ip::tcp::endpoint& at, const ip::tcp::endpoint& endpoint) {
  if (at.port() != endpoint.port()) return false;
  if (at.address() == endpoint.address()) return true;
  const bool same_family = at.address().is_v4() == endpoint.address().is_v4();
  if (at.address().is_unspecified()) return same_family || at.address().is_v6();
  return endpoint.address().is_unspecified() && same_family;
}

// The first socket in a table such as /proc/net/tcp that keeps others from listening at `endpoint`.
std::optional<ListeningSocket> find_socket(const fs::path& table, const ip::tcp::endpoint& endpoint) {
  std::ifstream in(table);
  std::string line;
  while (std::getline(in, line)) {
    std::istringstream fields(line);
    std::string number, local, remote, state, queues, timer, retransmits, user, timeout, inode;
    if (!(fields >> number >> local >> remote >> state >> queues >> timer >> retransmits >> user >> timeout >> inode) ||
        state != kListening)
      continue;
    const auto at = parse_endpoint(local);
    if (at && is_in_the_way(*at, endpoint)) return ListeningSocket{*at, inode};
  }
  return std::nullopt;
}

bool has_socket(const fs::path& process, const std::string& inode) {
  const std::string wanted = "socket:[" + inode + "]";
  std::error_code error;
  for (fs::directory_iterator file(process / "fd", error), end; !error && file != end; file.increment(error)) {
    std::error_code gone;
    if (fs::read_symlink(file->path(), gone) == wanted) return true;
  }
  return false;
}

void find_process(const fs::path& proc, const std::string& inode, PortHolder& holder) {
  std::error_code error;
  for (fs::directory_iterator entry(proc, error), end; !error && entry != end; entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    pid_t pid = 0;
    const auto [rest, bad] = std::from_chars(name.data(), name.data() + name.size(), pid);
    if (bad != std::errc() || rest != name.data() + name.size() || !has_socket(entry->path(), inode)) continue;
    holder.pid = pid;
    std::ifstream command(entry->path() / "comm");
    std::getline(command, holder.program);
    return;
  }
}

std::string to_text(const ip::tcp::endpoint& endpoint) {
  std::ostringstream out;
  out << endpoint;
  return out.str();
}

}  // namespace

std::optional<PortHolder> find_port_holder(const ip::tcp::endpoint& endpoint, const fs::path& proc) {
  for (const char* table : {"net/tcp", "net/tcp6"}) {
    if (const auto socket = find_socket(proc / table, endpoint)) {
      PortHolder out{socket->at, 0, ""};
      find_process(proc, socket->inode, out);
      return out;
    }
  }
  return std::nullopt;
}

std::string taken_port_message(const ip::tcp::endpoint& endpoint, const std::string& advice) {
  std::string out = "the port is in use: " + to_text(endpoint);
  if (const auto holder = find_port_holder(endpoint)) {
    out += " is taken by ";
    out += holder->pid == 0 ? "another program" : holder->program + " (pid " + std::to_string(holder->pid) + ")";
    if (holder->listens_at != endpoint) out += ", which listens at " + to_text(holder->listens_at);
  }
  return out + "; " + advice;
}

}  // namespace rocktable
