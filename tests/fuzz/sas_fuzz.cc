// Any bytes as a query with a shared access signature: nullopt without sig; otherwise parameters that are
// unchanged after writing them as a query, and a string to sign that has each of them on a line of its own.
#include "base/uri.h"
#include "odata/protocol/sas.h"
#include "tests/fuzz/require.h"
#include "tests/fuzz/targets.h"

namespace rocktable {
namespace {

struct Named {
  const char* name;
  std::string value;
  bool present;
};

std::vector<Named> parameters_of(const SasParameters& sas) {
  const auto named = [](const char* name, const std::string& value) { return Named{name, value, !value.empty()}; };
  return {named("sv", sas.version),
          named("ss", sas.services),
          named("srt", sas.resource_types),
          named("sp", sas.permissions),
          named("st", sas.start),
          named("se", sas.expiry),
          named("sip", sas.ip),
          named("spr", sas.protocol),
          named("ses", sas.encryption_scope),
          named("tn", sas.table),
          named("si", sas.identifier),
          {"spk", sas.start_partition_key, sas.has_start_partition_key},
          {"srk", sas.start_row_key, sas.has_start_row_key},
          {"epk", sas.end_partition_key, sas.has_end_partition_key},
          {"erk", sas.end_row_key, sas.has_end_row_key},
          named("skoid", sas.key_object_id),
          named("sktid", sas.key_tenant_id),
          named("skt", sas.key_start),
          named("ske", sas.key_expiry),
          named("sks", sas.key_service),
          named("skv", sas.key_version),
          named("skdutid", sas.key_user_tenant_id),
          named("sduoid", sas.user_object_id),
          {"sig", sas.signature, true}};
}

// A value that cannot be decoded stays as written. Percent-encoded, it can be decoded.
bool is_text(const std::vector<Named>& parameters) {
  return std::all_of(parameters.begin(), parameters.end(), [](const Named& one) { return is_utf8(one.value); });
}

std::string query_of(const std::vector<Named>& parameters) {
  std::string out;
  for (const auto& [name, value, present] : parameters)
    if (present) out += (out.empty() ? "" : "&") + std::string(name) + "=" + percent_encode(value);
  return out;
}

void check_string_to_sign(const SasParameters& sas, const std::string& text) {
  std::vector<std::string> lines = lines_of(text);
  if (sas.is_account_sas()) {
    std::vector<std::string> wanted{"acc",      sas.permissions, sas.services, sas.resource_types, sas.start,
                                    sas.expiry, sas.ip,          sas.protocol, sas.version};
    if (sas.version >= "2020-12-06") wanted.push_back(sas.encryption_scope);
    wanted.emplace_back();  // it ends with a line break
    require(lines == wanted, "an account SAS signs other lines");
    return;
  }
  if (sas.is_delegation_sas()) {
    const std::vector<std::string> key{sas.key_object_id, sas.key_tenant_id, sas.key_start,
                                       sas.key_expiry,    sas.key_service,   sas.key_version};
    require(lines.size() == 19 && lines[3] == "/table/acc/" + to_lower_ascii(sas.table) &&
                std::equal(key.begin(), key.end(), lines.begin() + 4),
            "a user delegation SAS signs other lines");
    return;
  }
  require(!sas.table.empty() && lines.size() == (sas.version >= "2015-04-05" ? 12 : 10),
          "a table SAS signs another number of lines");
  require(lines[3].ends_with("/acc/" + to_lower_ascii(sas.table)), "a table SAS signs another table");
  const std::vector<std::string> begin{sas.permissions, sas.start, sas.expiry, lines[3], sas.identifier};
  const std::vector<std::string> end{sas.version, sas.start_partition_key, sas.start_row_key, sas.end_partition_key,
                                     sas.end_row_key};
  require(std::equal(begin.begin(), begin.end(), lines.begin()) && std::equal(end.begin(), end.end(), lines.end() - 5),
          "a table SAS signs other lines");
}

}  // namespace

void fuzz_sas(std::string_view input) {
  const auto sas = parse_sas(input);
  if (!sas) return;
  const auto parameters = parameters_of(*sas);
  std::size_t bytes = 0;
  for (const auto& one : parameters) bytes += one.value.size();
  require(bytes <= input.size(), "parameters grow when they are read");
  if (is_text(parameters)) {
    const auto again = parse_sas(query_of(parameters));
    require(again && query_of(parameters_of(*again)) == query_of(parameters), "parameters change");
  }
  const auto text = sas_string_to_sign(*sas, "acc");
  if (!text) return require_refusal(text.error(), input.size());
  check_string_to_sign(*sas, *text);
}

}  // namespace rocktable
