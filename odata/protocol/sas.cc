// The table of SAS parameters, and the layouts of the strings to sign.
#include "odata/protocol/sas.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/text.h"
#include "base/uri.h"
#include "odata/protocol/query_string.h"

namespace rocktable {
namespace {

// Versions that changed a layout. Dates in this form compare correctly as text.
constexpr std::string_view kFirstTableSas = "2012-02-12";
constexpr std::string_view kTableSasNamesService = "2015-02-21";
constexpr std::string_view kTableSasHasIpAndProtocol = "2015-04-05";
constexpr std::string_view kFirstAccountSas = "2015-04-05";
constexpr std::string_view kAccountSasHasEncryptionScope = "2020-12-06";

struct Field {
  std::string_view name;
  std::string SasParameters::* value;
  bool SasParameters::* present = nullptr;
};

constexpr Field kFields[] = {
    {"sv", &SasParameters::version},
    {"ss", &SasParameters::services},
    {"srt", &SasParameters::resource_types},
    {"sp", &SasParameters::permissions},
    {"st", &SasParameters::start},
    {"se", &SasParameters::expiry},
    {"sip", &SasParameters::ip},
    {"spr", &SasParameters::protocol},
    {"ses", &SasParameters::encryption_scope},
    {"tn", &SasParameters::table},
    {"si", &SasParameters::identifier},
    {"spk", &SasParameters::start_partition_key, &SasParameters::has_start_partition_key},
    {"srk", &SasParameters::start_row_key, &SasParameters::has_start_row_key},
    {"epk", &SasParameters::end_partition_key, &SasParameters::has_end_partition_key},
    {"erk", &SasParameters::end_row_key, &SasParameters::has_end_row_key},
    {"skoid", &SasParameters::key_object_id},
    {"sktid", &SasParameters::key_tenant_id},
    {"skt", &SasParameters::key_start},
    {"ske", &SasParameters::key_expiry},
    {"sks", &SasParameters::key_service},
    {"skv", &SasParameters::key_version},
    {"skdutid", &SasParameters::key_user_tenant_id},
    {"sduoid", &SasParameters::user_object_id},
    {"sig", &SasParameters::signature},
};
constexpr std::size_t kSignature = std::size(kFields) - 1;

bool is_version(std::string_view text) {
  constexpr std::string_view kPattern = "dddd-dd-dd";
  return std::equal(text.begin(), text.end(), kPattern.begin(), kPattern.end(),
                    [](char c, char pattern) { return pattern == 'd' ? c >= '0' && c <= '9' : c == pattern; });
}

bool holds_line_break(const SasParameters& sas) {
  return std::any_of(std::begin(kFields), std::end(kFields),
                     [&](const Field& field) { return (sas.*field.value).find('\n') != std::string::npos; });
}

using Lines = std::vector<std::string_view>;

// Joins the lines; each ends with a line break.
std::string join(const Lines& lines) {
  std::string text;
  for (const std::string_view line : lines) text.append(line).append("\n");
  return text;
}

Result<std::string> account_string_to_sign(const SasParameters& sas, std::string_view account) {
  if (sas.version < kFirstAccountSas) return Error(ErrorCode::AuthenticationFailed);
  Lines lines = {account,    sas.permissions, sas.services, sas.resource_types, sas.start,
                 sas.expiry, sas.ip,          sas.protocol, sas.version};
  if (sas.version >= kAccountSasHasEncryptionScope) lines.push_back(sas.encryption_scope);
  return join(lines);
}

Result<std::string> table_string_to_sign(const SasParameters& sas, std::string_view account) {
  if (sas.version < kFirstTableSas || sas.table.empty()) return Error(ErrorCode::AuthenticationFailed);
  std::string resource = sas.version >= kTableSasNamesService ? "/table/" : "/";
  resource.append(account).append("/").append(to_lower_ascii(sas.table));
  Lines lines = {sas.permissions, sas.start, sas.expiry, resource, sas.identifier};
  if (sas.version >= kTableSasHasIpAndProtocol) lines.insert(lines.end(), {sas.ip, sas.protocol});
  lines.insert(lines.end(),
               {sas.version, sas.start_partition_key, sas.start_row_key, sas.end_partition_key, sas.end_row_key});
  std::string text = join(lines);
  text.pop_back();  // an account SAS ends with a line break, a table SAS does not
  return text;
}

// The same 19 lines in all versions so far. Absent ones are empty, and the last one has no line break.
Result<std::string> delegation_string_to_sign(const SasParameters& sas, std::string_view account) {
  if (sas.version < kFirstTableDelegation || sas.table.empty()) return Error(ErrorCode::AuthenticationFailed);
  const std::string resource = "/table/" + std::string(account) + "/" + to_lower_ascii(sas.table);
  std::string text = join({sas.permissions, sas.start, sas.expiry, resource, sas.key_object_id, sas.key_tenant_id,
                           sas.key_start, sas.key_expiry, sas.key_service, sas.key_version, sas.key_user_tenant_id,
                           sas.user_object_id, sas.ip, sas.protocol, sas.version, sas.start_partition_key,
                           sas.start_row_key, sas.end_partition_key, sas.end_row_key});
  text.pop_back();
  return text;
}

}  // namespace

std::optional<DateTime> parse_access_time(std::string_view text) {
  constexpr std::size_t kDecimals = 7;
  if (const auto point = text.find('.'); point != text.npos) {
    const auto end = std::min(text.find_first_not_of("0123456789", point + 1), text.size());
    if (end - point != 1 + kDecimals) return std::nullopt;
  }
  return parse_date_time(text);
}

void set_key(SasParameters& sas, SasKeyFields key) {
  sas.key_object_id = std::move(key.object_id);
  sas.key_tenant_id = std::move(key.tenant_id);
  sas.key_start = std::move(key.start);
  sas.key_expiry = std::move(key.expiry);
  sas.key_service = std::move(key.service);
  sas.key_version = std::move(key.version);
  sas.key_user_tenant_id = std::move(key.user_tenant_id);
}

std::optional<SasParameters> parse_sas(std::string_view raw_query) {
  SasParameters sas;
  bool seen[std::size(kFields)] = {};
  for_each_query_parameter(raw_query, [&](std::string_view name, std::string_view value) {
    for (std::size_t i = 0; i < std::size(kFields); ++i) {
      const Field& field = kFields[i];
      if (!equals_ignoring_case(field.name, name)) continue;
      sas.has_repeated |= seen[i];
      if (std::exchange(seen[i], true)) continue;
      sas.*field.value = decode_query_value(value, /*plus_is_space=*/i != kSignature);
      if (field.present) sas.*field.present = true;
    }
  });
  if (!seen[kSignature]) return std::nullopt;
  return sas;
}

std::string to_query(const SasParameters& sas) {
  std::string out;
  for (const Field& field : kFields) {
    const std::string& value = sas.*field.value;
    if (value.empty() && !(field.present != nullptr && sas.*field.present)) continue;
    out.append(out.empty() ? "" : "&").append(field.name).append("=");
    append_percent_encoded(out, value);
  }
  return out;
}

Result<std::string> sas_string_to_sign(const SasParameters& sas, std::string_view account) {
  if (sas.has_repeated || !is_version(sas.version) || holds_line_break(sas))
    return Error(ErrorCode::AuthenticationFailed);
  if (sas.is_delegation_sas()) return delegation_string_to_sign(sas, account);
  return sas.is_account_sas() ? account_string_to_sign(sas, account) : table_string_to_sign(sas, account);
}

}  // namespace rocktable
