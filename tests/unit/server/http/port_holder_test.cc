// Who has a port: tables of sockets as the kernel prints them, and this process itself.
#include "server/http/port_holder.h"

#include <doctest/doctest.h>
#include <unistd.h>

#include <boost/asio/io_context.hpp>
#include <filesystem>
#include <fstream>
#include <string>

#include "tests/unit/support/temporary_folder.h"

namespace rocktable::TEST_FILE {
namespace {

namespace fs = std::filesystem;
namespace ip = boost::asio::ip;

ip::tcp::endpoint endpoint(const char* address, std::uint16_t port) { return {ip::make_address(address), port}; }

// A folder like /proc, with two tables of sockets and one process that has the socket 42.
class FakeProc {
 public:
  FakeProc() {
    fs::create_directories(path() / "net");
    fs::create_directories(path() / "704" / "fd");
    fs::create_directories(path() / "self");
    std::ofstream(path() / "704" / "comm") << "azurite\n";
    fs::create_symlink("/dev/null", path() / "704" / "fd" / "0");
    fs::create_symlink("socket:[42]", path() / "704" / "fd" / "3");
  }

  void add(const char* table, const char* address, const char* state, const char* inode) const {
    std::ofstream(path() / "net" / table, std::ios::app)
        << "   0: " << address << " 00000000:0000 " << state
        << " 00000000:00000000 00:00000000 00000000  1000        0 " << inode << " 1 0000000000000000 100 0 0 10 0\n";
  }

  const fs::path& path() const { return folder_.path(); }

 private:
  TemporaryFolder folder_;
};

TEST_CASE("The holder of a port is found by address, state and port") {
  const FakeProc proc;
  std::ofstream(proc.path() / "net" / "tcp") << "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when\n";
  proc.add("tcp", "0100007F:2712", "01", "41");  // a connection
  proc.add("tcp", "0200007F:2712", "0A", "41");  // another address
  proc.add("tcp", "0100007F:2713", "0A", "41");  // another port
  proc.add("tcp", "0100007F:2712", "0A", "42");
  const auto holder = find_port_holder(endpoint("127.0.0.1", 10002), proc.path());
  REQUIRE(holder.has_value());
  CHECK(holder->listens_at == endpoint("127.0.0.1", 10002));
  CHECK(holder->pid == 704);
  CHECK(holder->program == "azurite");
  CHECK_FALSE(find_port_holder(endpoint("127.0.0.1", 10000), proc.path()).has_value());
  CHECK_FALSE(find_port_holder(endpoint("::1", 10002), proc.path()).has_value());
}

TEST_CASE("Who listens at all addresses is in the way of each, and the other way round") {
  struct {
    const char *table, *there, *wanted;
    bool is_in_the_way;
  } cases[] = {{"tcp", "00000000:2712", "127.0.0.1", true},
               {"tcp", "00000000:2712", "::1", false},
               {"tcp", "0100007F:2712", "0.0.0.0", true},
               {"tcp", "0100007F:2712", "::", false},
               {"tcp6", "00000000000000000000000001000000:2712", "::1", true},
               {"tcp6", "00000000000000000000000001000000:2712", "127.0.0.1", false},
               {"tcp6", "00000000000000000000000001000000:2712", "0.0.0.0", false},
               {"tcp6", "00000000000000000000000000000000:2712", "::1", true},
               {"tcp6", "00000000000000000000000000000000:2712", "127.0.0.1", true},
               {"tcp6", "00000000000000000000000000000000:2712", "0.0.0.0", true}};
  for (const auto& c : cases) {
    CAPTURE(c.there);
    CAPTURE(c.wanted);
    const FakeProc proc;
    proc.add(c.table, c.there, "0A", "42");
    CHECK(find_port_holder(endpoint(c.wanted, 10002), proc.path()).has_value() == c.is_in_the_way);
  }
}

TEST_CASE("A process that may not be looked at stays without a name; nonsense is passed over") {
  const FakeProc proc;
  proc.add("tcp", "nonsense", "0A", "42");
  proc.add("tcp", "0100007F:zz", "0A", "42");
  proc.add("tcp", "010000:2712", "0A", "42");
  CHECK_FALSE(find_port_holder(endpoint("127.0.0.1", 10002), proc.path()).has_value());
  proc.add("tcp", "0100007F:2712", "0A", "43");
  const auto holder = find_port_holder(endpoint("127.0.0.1", 10002), proc.path());
  REQUIRE(holder.has_value());
  CHECK(holder->pid == 0);
  CHECK(holder->program.empty());
  CHECK_FALSE(find_port_holder(endpoint("127.0.0.1", 10002), proc.path() / "absent").has_value());
}

TEST_CASE("A port of this process is named with its pid and the way out") {
  boost::asio::io_context context;
  const ip::tcp::acceptor acceptor(context, endpoint("127.0.0.1", 0));
  const auto at = acceptor.local_endpoint();
  const std::string port = std::to_string(at.port());
  const std::string text = taken_port_message(at, "--tablePort 0 picks a free one");
  CAPTURE(text);
  CHECK(text.starts_with("the port is in use: 127.0.0.1:" + port + " is taken by "));
  CHECK(text.ends_with(" (pid " + std::to_string(getpid()) + "); --tablePort 0 picks a free one"));
  const ip::tcp::acceptor everywhere(context, endpoint("0.0.0.0", 0));
  const std::string other = std::to_string(everywhere.local_endpoint().port());
  CHECK(taken_port_message(endpoint("127.0.0.1", everywhere.local_endpoint().port()), "--blobPort 0 picks a free one")
            .ends_with(", which listens at 0.0.0.0:" + other + "; --blobPort 0 picks a free one"));
}

}  // namespace
}  // namespace rocktable::TEST_FILE
