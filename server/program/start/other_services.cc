#include "server/program/start/other_services.h"

#include <filesystem>

#include "server/tls/pem.h"

namespace rocktable {
namespace {

ListenAddress place_of(StorageService service, const Options& options) {
  const bool is_blob = service == StorageService::Blob;
  return {service, is_blob ? options.blob_host : options.queue_host, is_blob ? options.blob_port : options.queue_port,
          options.port_advice};
}

const std::string& upstream_of(StorageService service, const Options& options) {
  return service == StorageService::Blob ? options.blob_upstream : options.queue_upstream;
}

AzuriteOptions azurite_options(const Options& options, const std::vector<Account>& accounts, const Identity& identity) {
  AzuriteOptions out{.services = {AzuriteService{"blob", options.blob_host, options.blob_port, options.port_advice},
                                  AzuriteService{"queue", options.queue_host, options.queue_port, options.port_advice}},
                     .accounts = accounts,
                     .folder = {},
                     .certificates = {},
                     .key = {},
                     .bearer_tokens = options.bearer_tokens};
  if (!options.in_memory) out.folder = (std::filesystem::absolute(options.location) / "__rocktable_azurite__").string();
  if (identity.certificate) {
    out.certificates = certificates_pem(identity);
    out.key = pem_of(identity.key.get());
  }
  return out;
}

}  // namespace

std::vector<ListenAddress> stubs_of(const Options& options) {
  std::vector<ListenAddress> out;
  if (options.compatibility != Compatibility::Azurite || options.with_azurite) return out;
  for (const auto service : {StorageService::Blob, StorageService::Queue})
    if (upstream_of(service, options).empty()) out.push_back(place_of(service, options));
  return out;
}

OtherServices::Relayed OtherServices::relay_of(StorageService service, const Options& options) {
  const std::string& upstream = upstream_of(service, options);
  if (upstream.empty()) return {};
  const ListenAddress place = place_of(service, options);
  return {std::make_unique<Relay>(place, parse_http_url(upstream)), upstream, place.host};
}

OtherServices::OtherServices(const Options& options, const std::vector<Account>& accounts, const Identity& identity)
    : azurite_(options.with_azurite ? std::make_unique<Azurite>(azurite_options(options, accounts, identity))
                                    : nullptr),
      blob_(relay_of(StorageService::Blob, options)),
      queue_(relay_of(StorageService::Queue, options)) {}

void OtherServices::add_to(StartupReport& report, const std::function<bool()>& must_stop) {
  const auto add = [&](const char* what, const std::string& who, ServiceAddress address, auto& to) {
    const std::string& scheme = address.scheme.empty() ? report.scheme : address.scheme;
    report.notes.push_back(std::string(what) + " are at " + scheme + "://" + address.address + ":" +
                           std::to_string(address.port) + ", " + who);
    to = std::move(address);
  };
  if (azurite_) {
    azurite_->await_ready(must_stop);
    const auto address = [&](std::size_t place) {
      const AzuriteAddress& at = azurite_->address(place);
      return ServiceAddress{at.host, local_host_of(at.host, "", report.scheme == "https"), at.port};
    };
    add("blobs", "served by azurite-blob", address(0), report.blob);
    add("queues", "served by azurite-queue", address(1), report.queue);
  }
  const auto add_relay = [&](const char* what, const Relayed& relayed, auto& to) {
    if (!relayed.relay) return;
    const std::string scheme = relayed.upstream.substr(0, relayed.upstream.find(':'));
    const std::string& at = relayed.relay->address();
    add(what, "passed on to " + relayed.upstream,
        {at, local_host_of(at, relayed.host, scheme == "https"), relayed.relay->port(), scheme}, to);
  };
  add_relay("blobs", blob_, report.blob);
  add_relay("queues", queue_, report.queue);
}

}  // namespace rocktable
