#include "server/program/start/startup_report.h"

#include <algorithm>
#include <boost/asio/ip/address.hpp>
#include <iostream>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "base/atomic_file.h"
#include "base/platform/own_process.h"
#include "base/printable.h"
#include "client/command_line/command_line.h"
#include "odata/protocol/development_account.h"

namespace rocktable {
namespace {

constexpr std::size_t kMaxAnnounced = 8;  // accounts

std::string url_at(const StartupReport& report, const ServiceAddress& service) {
  return (service.scheme.empty() ? report.scheme : service.scheme) + "://" + service.host + ":" +
         std::to_string(service.port);
}

std::string endpoint_at(const StartupReport& report, const ServiceAddress& service, const Account& account) {
  return url_at(report, service) + "/" + account.name;
}

bool has_public_first_key(const Account& account) { return account.keys.front() == kDevelopmentKey; }

nlohmann::json ready_document(const StartupReport& report) {
  auto accounts = nlohmann::json::array();
  for (const auto& account : report.accounts) {
    accounts.push_back({{"name", account.name},
                        {"endpoint", endpoint_of(report, account)},
                        {"connectionString", connection_string(report, account)}});
  }
  nlohmann::json out = {{"port", report.table.port},
                        {"endpoint", accounts.front().at("endpoint")},
                        {"connectionString", accounts.front().at("connectionString")},
                        {"accounts", accounts},
                        {"pid", process_id()}};
  if (!report.certificate_authority.empty()) out["certificateAuthority"] = report.certificate_authority;
  if (report.identity) out["identity"] = to_json(*report.identity);
  return out;
}

std::string to_json(const StartupReport& report, int indentation) {
  return ready_document(report).dump(indentation, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

void announce_authority(const StartupReport& report) {
  if (!report.certificate_authority.empty())
    std::cout << "rocktable: clients must trust " << report.certificate_authority << '\n';
  std::cout << std::flush;
}

void announce_store(std::ostream& out, const StartupReport& report) {
  out << "rocktable: version " << ROCKTABLE_VERSION << "; "
      << (report.store.empty() ? "in memory: no data is kept" : "data is kept in " + printable(report.store))
      << "; press Ctrl-C to stop\n"
      << std::flush;
}

void announce_service(const char* name, const std::string& scheme, const std::optional<ServiceAddress>& service) {
  if (!service) return;
  const std::string url = (service->scheme.empty() ? scheme : service->scheme) + "://" + service->address + ":" +
                          std::to_string(service->port);
  std::cout << "Azurite " << name << " service is starting at " << url << '\n'
            << "Azurite " << name << " service is successfully listening at " << url << '\n';
}

}  // namespace

std::string url_of(const StartupReport& report) { return url_at(report, report.table); }

std::string endpoint_of(const StartupReport& report, const Account& account) {
  return endpoint_at(report, report.table, account);
}

std::string connection_string(const StartupReport& report, const Account& account) {
  const auto endpoint = [&](const ServiceAddress& service) { return endpoint_at(report, service, account) + ";"; };
  std::string out = "DefaultEndpointsProtocol=" + report.scheme + ";AccountName=" + account.name +
                    ";AccountKey=" + account.keys.front() + ";";
  if (report.blob) out += "BlobEndpoint=" + endpoint(*report.blob);
  if (report.queue) out += "QueueEndpoint=" + endpoint(*report.queue);
  return out + "TableEndpoint=" + endpoint(report.table);
}

std::string local_host_of(const std::string& address, const std::string& table_host, bool secure) {
  if (secure && !table_host.empty() && !table_host.starts_with('[')) {
    boost::system::error_code not_an_address;
    boost::asio::ip::make_address(table_host, not_an_address);
    if (not_an_address) return table_host;
  }
  if (address == "0.0.0.0") return "127.0.0.1";
  return address == "[::]" ? "[::1]" : address;
}

std::vector<Account> accounts_to_report(std::vector<Account> named, bool any) {
  const auto is_development = [](const Account& account) { return account.name == kDevelopmentAccount; };
  if (any && std::none_of(named.begin(), named.end(), is_development))
    named.push_back({std::string(kDevelopmentAccount), {std::string(kDevelopmentKey)}});
  std::stable_partition(named.begin(), named.end(), is_development);
  return named;
}

void print_startup(const StartupReport& report) {
  const auto& accounts = report.accounts;
  std::cout << "rocktable: Table service is successfully listening at " << report.scheme << "://"
            << report.table.address << ':' << report.table.port << '\n';
  for (std::size_t i = 0; i < std::min(accounts.size(), kMaxAnnounced); ++i) {
    std::cout << (has_public_first_key(accounts[i]) ? connection_string(report, accounts[i])
                                                    : endpoint_of(report, accounts[i]))
              << '\n';
  }
  if (accounts.size() > kMaxAnnounced) std::cout << "and " << accounts.size() - kMaxAnnounced << " more accounts\n";
  for (const auto& note : report.notes) std::cout << "rocktable: " << printable(note) << '\n';
  announce_authority(report);
  if (report.explorer) std::cout << "rocktable: see tables and requests at " << url_of(report) << "/_rocktable/\n";
  announce_store(std::cout, report);
}

void print_startup_as_azurite(const StartupReport& report) {
  announce_service("Blob", report.scheme, report.blob);
  announce_service("Queue", report.scheme, report.queue);
  announce_service("Table", report.scheme, report.table);
  announce_authority(report);
  announce_store(std::cerr, report);
}

void print_startup_as_azurite_table(const StartupReport& report) {
  const std::string where = report.table.address + ":" + std::to_string(report.table.port);
  std::cout << "Azurite Table service is starting on " << where << '\n'
            << "Azurite Table service successfully started on " << where << '\n';
  announce_authority(report);
  announce_store(std::cerr, report);
}

void print_ready_line(const StartupReport& report) { std::cout << to_json(report, -1) << std::flush; }

int report_unused_faults(const ShutdownReport& report, bool strict) {
  for (const auto& name : report.unused_faults)
    std::cerr << "rocktable: the fault rule \"" << printable(name) << "\" hit no request\n";
  return strict && !report.unused_faults.empty() ? kExitUnusedFault : kExitSuccess;
}

void print_shutdown(std::ostream& out, const ShutdownReport& report) {
  out << "rocktable: stopped; ";
  if (report.store.empty()) {
    out << "no data is kept\n" << std::flush;
    return;
  }
  if (!report.tables) {
    out << "data";
  } else {
    out << (*report.tables == ShutdownReport::kMaxCountedTables ? "at least " : "") << *report.tables
        << (*report.tables == 1 ? " table" : " tables");
  }
  out << " kept in " << printable(report.store) << '\n' << std::flush;
}

void write_ready_file(const std::string& path, const StartupReport& report) {
  const bool secret =
      report.identity || !std::all_of(report.accounts.begin(), report.accounts.end(), has_public_first_key);
  AtomicFile file(path, secret ? FileRights::OwnerOnly : FileRights::ReadableByAll);
  file.write(to_json(report, 2));
  if (!file.replace()) throw std::runtime_error("cannot write the ready file " + path);
}

}  // namespace rocktable
