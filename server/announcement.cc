#include "server/announcement.h"

#include <unistd.h>

#include <algorithm>
#include <boost/asio/ip/address.hpp>
#include <iostream>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "odata/files/unfinished_file.h"
#include "odata/printable.h"

namespace rocktable {
namespace {

constexpr std::size_t kMaxAnnounced = 8;  // accounts

std::string url_at(const Announcement& announcement, const ServiceAddress& service) {
  return announcement.scheme + "://" + service.host + ":" + std::to_string(service.port);
}

std::string endpoint_at(const Announcement& announcement, const ServiceAddress& service,
                        const Account& account) {
  return url_at(announcement, service) + "/" + account.name;
}

bool has_public_key(const Account& account) { return account.keys.front() == kDevelopmentKey; }

nlohmann::json ready_document(const Announcement& announcement) {
  auto accounts = nlohmann::json::array();
  for (const auto& account : announcement.accounts) {
    accounts.push_back({{"name", account.name},
                        {"endpoint", endpoint_of(announcement, account)},
                        {"connectionString", connection_string(announcement, account)}});
  }
  nlohmann::json out = {{"port", announcement.table.port},
                        {"endpoint", accounts.front().at("endpoint")},
                        {"connectionString", accounts.front().at("connectionString")},
                        {"accounts", accounts},
                        {"pid", getpid()}};
  if (!announcement.certificate_authority.empty())
    out["certificateAuthority"] = announcement.certificate_authority;
  return out;
}

void announce_authority(const Announcement& announcement) {
  if (!announcement.certificate_authority.empty())
    std::cout << "rocktable: clients are to trust " << announcement.certificate_authority << '\n';
  std::cout << std::flush;
}

void announce_store(std::ostream& out, const Announcement& announcement) {
  out << "rocktable: version " << ROCKTABLE_VERSION << "; "
      << (announcement.store.empty() ? "in memory: nothing is kept"
                                     : "data are kept in " + printable(announcement.store))
      << "; Ctrl-C stops it\n"
      << std::flush;
}

void announce_service(const char* name, const std::string& scheme,
                      const std::optional<ServiceAddress>& service) {
  if (!service) return;
  const std::string url = scheme + "://" + service->address + ":" + std::to_string(service->port);
  std::cout << "Azurite " << name << " service is starting at " << url << '\n'
            << "Azurite " << name << " service is successfully listening at " << url << '\n';
}

}  // namespace

std::string url_of(const Announcement& announcement) { return url_at(announcement, announcement.table); }

std::string endpoint_of(const Announcement& announcement, const Account& account) {
  return endpoint_at(announcement, announcement.table, account);
}

std::string connection_string(const Announcement& announcement, const Account& account) {
  const auto endpoint = [&](const ServiceAddress& service) {
    return endpoint_at(announcement, service, account) + ";";
  };
  std::string out = "DefaultEndpointsProtocol=" + announcement.scheme + ";AccountName=" + account.name +
                    ";AccountKey=" + account.keys.front() + ";";
  if (announcement.blob) out += "BlobEndpoint=" + endpoint(*announcement.blob);
  if (announcement.queue) out += "QueueEndpoint=" + endpoint(*announcement.queue);
  return out + "TableEndpoint=" + endpoint(announcement.table);
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

std::vector<Account> told_accounts(std::vector<Account> named, bool any) {
  const auto is_development = [](const Account& account) { return account.name == kDevelopmentAccount; };
  if (any && std::none_of(named.begin(), named.end(), is_development))
    named.push_back({std::string(kDevelopmentAccount), {std::string(kDevelopmentKey)}});
  std::stable_partition(named.begin(), named.end(), is_development);
  return named;
}

void announce(const Announcement& announcement) {
  const auto& accounts = announcement.accounts;
  std::cout << "rocktable: Table service is successfully listening at " << announcement.scheme << "://"
            << announcement.table.address << ':' << announcement.table.port << '\n';
  for (std::size_t i = 0; i < std::min(accounts.size(), kMaxAnnounced); ++i) {
    std::cout << (has_public_key(accounts[i]) ? connection_string(announcement, accounts[i])
                                              : endpoint_of(announcement, accounts[i]))
              << '\n';
  }
  if (accounts.size() > kMaxAnnounced)
    std::cout << "and " << accounts.size() - kMaxAnnounced << " more accounts\n";
  announce_authority(announcement);
  announce_store(std::cout, announcement);
}

void announce_as_azurite(const Announcement& announcement) {
  announce_service("Blob", announcement.scheme, announcement.blob);
  announce_service("Queue", announcement.scheme, announcement.queue);
  announce_service("Table", announcement.scheme, announcement.table);
  announce_authority(announcement);
  announce_store(std::cerr, announcement);
}

void announce_as_azurite_table(const Announcement& announcement) {
  const std::string where = announcement.table.address + ":" + std::to_string(announcement.table.port);
  std::cout << "Azurite Table service is starting on " << where << '\n'
            << "Azurite Table service successfully started on " << where << '\n';
  announce_authority(announcement);
  announce_store(std::cerr, announcement);
}

void say_goodbye(std::ostream& out, const Farewell& farewell) {
  out << "rocktable: stopped; ";
  if (farewell.store.empty()) {
    out << "nothing is kept\n" << std::flush;
    return;
  }
  if (!farewell.tables) {
    out << "data are";
  } else {
    out << (*farewell.tables == Farewell::kMostTables ? "at least " : "") << *farewell.tables
        << (*farewell.tables == 1 ? " table" : " tables");
  }
  out << " kept in " << printable(farewell.store) << '\n' << std::flush;
}

void write_ready_file(const std::string& path, const Announcement& announcement) {
  constexpr mode_t kForOwner = 0600, kForAll = 0644;
  const bool secret =
      !std::all_of(announcement.accounts.begin(), announcement.accounts.end(), has_public_key);
  UnfinishedFile file(path, secret ? kForOwner : kForAll);
  file.write(ready_document(announcement).dump(2, ' ', false, nlohmann::json::error_handler_t::replace) +
             "\n");
  if (!file.replace()) throw std::runtime_error("cannot write the ready file " + path);
}

}  // namespace rocktable
