// What the start and the end tell: people and scripts on standard output, programs in the ready file.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

#include "server/access/accounts.h"

namespace rocktable {

// Where a service listens.
struct ServiceAddress {
  std::string address;  // the first that it listens at
  std::string host;     // by which clients on this machine find it
  std::uint16_t port;
};

struct StartupReport {
  std::string scheme;  // http or https
  ServiceAddress table;
  std::vector<Account> accounts;      // the first one is whom newcomers want
  std::string certificate_authority;  // the file that clients are to trust; empty: none of ours
  std::optional<ServiceAddress> blob = {}, queue = {};  // where something listens in their place, too
  std::string store = {};                               // its folder, absolute; empty: in memory
};

// What there is to say at an orderly end.
struct ShutdownReport {
  static constexpr std::uint64_t kMostTables = 20'000;  // that are counted: the end does not wait for more

  std::string store;                    // as in StartupReport
  std::optional<std::uint64_t> tables;  // nothing where they could not be counted
};

// `http://127.0.0.1:10002`, the account's endpoint there, and the connection string that names it.
std::string url_of(const StartupReport& report);
std::string endpoint_of(const StartupReport& report, const Account& account);
std::string connection_string(const StartupReport& report, const Account& account);

// By which clients on this machine find a server that listens at `address`. Under HTTPS the name that it was given
// is the better one, for certificates have names.
std::string local_host_of(const std::string& address, const std::string& table_host, bool secure);

// What there is to tell about: devstoreaccount1 first where there is one, then the others as they were named.
std::vector<Account> reported_accounts(std::vector<Account> named, bool any);

// Two lines that scripts read, and one that says where the data are. Keys stay out of it, for output goes into logs; but
// for the one that everybody knows.
void print_startup(const StartupReport& report);

// The lines of the peer, which tools wait for: those of its three services; those of its table service alone. Where the
// data are goes to standard error.
void print_startup_as_azurite(const StartupReport& report);
void print_startup_as_azurite_table(const StartupReport& report);

// `stopped; 12 tables kept in ...`, as a line of `out`.
void print_shutdown(std::ostream& out, const ShutdownReport& report);

// JSON: port, endpoint, connectionString, accounts, pid, and certificateAuthority. Whole or not at all: who waits
// for the file never reads half of it. Keys of users make it readable for its owner alone. Throws
// std::runtime_error.
void write_ready_file(const std::string& path, const StartupReport& report);

}  // namespace rocktable
