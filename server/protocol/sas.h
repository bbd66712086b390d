// Shared access signatures: the parameters of a URL that carry one, and the string that is signed.
// Source: learn.microsoft.com/rest/api/storageservices/create-account-sas and .../create-service-sas
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "odata/error.h"

namespace rocktable {

// The parameters as the client wrote them, percent-decoded; missing ones are empty.
struct SasParameters {
  std::string version;         // sv
  std::string services;        // ss: account SAS
  std::string resource_types;  // srt: account SAS
  std::string permissions;     // sp
  std::string start;           // st
  std::string expiry;          // se
  std::string ip;              // sip
  std::string protocol;        // spr
  std::string encryption_scope;  // ses
  std::string table;             // tn: table SAS
  std::string identifier;        // si
  std::string start_partition_key, start_row_key, end_partition_key, end_row_key;  // spk srk epk erk
  bool has_start_partition_key = false, has_start_row_key = false, has_end_partition_key = false, has_end_row_key = false;
  std::string signature;         // sig

  bool is_account_sas() const { return !services.empty() || !resource_types.empty(); }
};

// Reads the raw query of a URL (without `?`). Nothing where it carries no `sig`. Names compare without regard to case.
std::optional<SasParameters> parse_sas(std::string_view raw_query);

// The string to sign of an account SAS (sv from 2015-04-05 on; `ses` from 2020-12-06 on) or of a table SAS (three layouts by sv).
// Errors: AuthenticationFailed where the version is missing or too old for its kind.
Result<std::string> sas_string_to_sign(const SasParameters& sas, std::string_view account);

}  // namespace rocktable
