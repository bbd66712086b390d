// Startup and shutdown messages on standard output, for people and scripts, and the ready file, for programs.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

#include "server/access/accounts.h"
#include "server/identity/identity_report.h"

namespace rocktable {

// Where a service listens.
struct ServiceAddress {
  std::string address;  // the first listening address
  std::string host;     // host name or address for clients on this machine
  std::uint16_t port;
  std::string scheme = {};  // empty: that of the report
};

struct StartupReport {
  std::string scheme;  // http or https
  ServiceAddress table;
  std::vector<Account> accounts;                        // the default account first
  std::string certificate_authority;                    // file that clients must trust; empty: no local authority
  std::optional<ServiceAddress> blob = {}, queue = {};  // if these ports are open, too
  std::vector<std::string> notes = {};                  // who serves these, for people
  std::optional<IdentityReport> identity = {};
  std::string store = {};  // absolute path of its folder; empty: in memory
  bool explorer = false;   // its page is served
};

inline constexpr int kExitUnusedFault = 4;  // --strictFaults
inline constexpr int kExitReport = 5;       // of the server of `rocktable exec`, which then ends with 1

// The report of an orderly shutdown.
struct ShutdownReport {
  // Counting stops here, so that the shutdown is fast.
  static constexpr std::uint64_t kMaxCountedTables = 20'000;

  std::string store;                       // see StartupReport
  std::optional<std::uint64_t> tables;     // nullopt: could not be counted
  std::vector<std::string> unused_faults;  // names of fault rules that hit no request
  // With Options::report_queries: the document of GET /_rocktable/queries, with that of GET /_rocktable/permissions as
  // its member `permissions`, if there were callers.
  std::string queries = {};
};

// `http://127.0.0.1:10002`; the endpoint of the account; its connection string.
std::string url_of(const StartupReport& report);
std::string endpoint_of(const StartupReport& report, const Account& account);
std::string connection_string(const StartupReport& report, const Account& account);

// Returns the host name or address for clients on this machine if the server listens at `address`. With
// HTTPS, prefers the name of --tableHost, because certificates contain names.
std::string local_host_of(const std::string& address, const std::string& table_host, bool secure);

// Returns the accounts for the report: devstoreaccount1 first if it exists, then the others in their order.
std::vector<Account> accounts_to_report(std::vector<Account> named, bool any);

// Prints two lines that scripts read, one with the page of the explorer, and one with the place of the data. Prints no
// key except the well-known one, because output goes into logs.
void print_startup(const StartupReport& report);

// Print the lines of Azurite, which tools wait for: those of its three services, or only those of its table
// service. Print the place of the data on standard error.
void print_startup_as_azurite(const StartupReport& report);
void print_startup_as_azurite_table(const StartupReport& report);

// Prints the document of write_ready_file() as one line, for the program that started the server.
void print_ready_line(const StartupReport& report);

// Prints a line for each fault rule that hit no request, on standard error. Returns the exit code: with `strict`, not
// kExitSuccess if there is one.
int report_unused_faults(const ShutdownReport& report, bool strict);

// Prints the line `stopped; 12 tables kept in ...`.
void print_shutdown(std::ostream& out, const ShutdownReport& report);

// Writes JSON: port, endpoint, connectionString, accounts, pid, certificateAuthority, and identity. Writes atomically,
// so that a program that waits for the file never reads half of it. The file is readable only by its owner if
// it contains keys of users, or the secret of the identity endpoint. Throws std::runtime_error.
void write_ready_file(const std::string& path, const StartupReport& report);

}  // namespace rocktable
