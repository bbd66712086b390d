// Shared access signatures: the parameters of a URL that has one, and the string to sign. Source:
// learn.microsoft.com/rest/api/storageservices/create-account-sas, .../create-service-sas and
// .../create-user-delegation-sas
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/date_time.h"
#include "odata/error.h"

namespace rocktable {

// The parameters as the client wrote them, percent-decoded; missing ones are empty. Rely only on parameters
// that the string to sign contains: a table SAS signs tn, si and the key range, an account SAS signs ss, srt
// and ses, a user delegation SAS signs tn, the key range and the fields of its key.
struct SasParameters {
  std::string version;              // sv
  std::string services;             // ss: account SAS
  std::string resource_types;       // srt: account SAS
  std::string permissions;          // sp
  std::string start;                // st
  std::string expiry;               // se
  std::string ip;                   // sip
  std::string protocol;             // spr
  std::string encryption_scope;     // ses
  std::string table;                // tn: table and user delegation SAS
  std::string identifier;           // si
  std::string start_partition_key;  // spk
  std::string start_row_key;        // srk
  std::string end_partition_key;    // epk
  std::string end_row_key;          // erk
  std::string key_object_id;        // skoid: user delegation SAS; who asked for its key
  std::string key_tenant_id;        // sktid
  std::string key_start;            // skt
  std::string key_expiry;           // ske
  std::string key_service;          // sks
  std::string key_version;          // skv
  std::string key_user_tenant_id;   // skdutid: tenant of the only user
  std::string user_object_id;       // sduoid: the only user
  std::string signature;            // sig
  // A bound can be present and empty.
  bool has_start_partition_key = false;
  bool has_start_row_key = false;
  bool has_end_partition_key = false;
  bool has_end_row_key = false;
  bool has_repeated = false;  // one of these parameters occurs twice

  bool is_account_sas() const { return !is_delegation_sas() && (!services.empty() || !resource_types.empty()); }
  bool is_delegation_sas() const { return !key_object_id.empty(); }
};

// A user delegation key as its signatures repeat it: texts as the service wrote them.
struct SasKeyFields {
  std::string object_id, tenant_id;  // of who asked for it
  std::string start, expiry;
  std::string service;  // `t`
  std::string version;
  std::string user_tenant_id;  // of the only user; may be empty
};

void set_key(SasParameters& sas, SasKeyFields key);

// The first version of user delegation keys and signatures for tables.
inline constexpr std::string_view kFirstTableDelegation = "2025-07-05";

// Reads the raw query of a URL (without `?`). Returns nullopt if it has no `sig`; an empty `sig=` is a
// signature that does not match. Names compare without regard to case. For a repeated parameter, the first
// value counts. A plus becomes a space, as in form encoding, except in sig: base64 contains pluses, and some
// clients do not encode them. A value that cannot be percent-decoded stays as written.
std::optional<SasParameters> parse_sas(std::string_view raw_query);

// Writes the parameters that are present as a query, percent-encoded: `sv=...&sp=...&sig=...`.
std::string to_query(const SasParameters& sas);

// Reads a time of a SAS or of an access policy: that of parse_date_time(), but a fraction has exactly seven digits.
std::optional<DateTime> parse_access_time(std::string_view text);

// Returns the string to sign of an account SAS (sv from 2015-04-05 on; `ses` from 2020-12-06 on), of a
// table SAS (three layouts, depending on sv), or of a user delegation SAS (sv from 2025-07-05 on). Pass the account
// name without `-secondary`.
//
// Errors: AuthenticationFailed if the version is missing, not of the form yyyy-MM-dd, or too old for its
// kind; if a SAS other than an account SAS names no table; if a parameter contains a line break, because its parts
// could then pass for other fields; if a parameter occurs twice, because it is unknown which value was signed.
Result<std::string> sas_string_to_sign(const SasParameters& sas, std::string_view account);

}  // namespace rocktable
