// Shared access signatures: the parameters of a URL that carry one, and the string that is signed.
// Source: learn.microsoft.com/rest/api/storageservices/create-account-sas and .../create-service-sas
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "odata/error.h"

namespace rocktable {

// The parameters as the client wrote them, percent-decoded; missing ones are empty. Only what its string to
// sign holds may be relied on: tn, si and the key range are signed in a table SAS, ss, srt and ses in an
// account SAS.
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
  std::string table;                // tn: table SAS
  std::string identifier;           // si
  std::string start_partition_key;  // spk
  std::string start_row_key;        // srk
  std::string end_partition_key;    // epk
  std::string end_row_key;          // erk
  std::string signature;            // sig
  // A bound may be there and empty.
  bool has_start_partition_key = false;
  bool has_start_row_key = false;
  bool has_end_partition_key = false;
  bool has_end_row_key = false;
  bool has_repeated = false;  // one of these parameters comes twice

  bool is_account_sas() const { return !services.empty() || !resource_types.empty(); }
};

// Reads the raw query of a URL (without `?`). Nothing where it carries no `sig`; an empty `sig=` is one that
// will not match. Names compare without regard to case; of a repeated parameter the first one is here. A plus
// is a space, as form encoding writes it, except in sig: base64 holds pluses, and some clients do not encode
// them. A value that cannot be percent-decoded stays as it is.
std::optional<SasParameters> parse_sas(std::string_view raw_query);

// The string to sign of an account SAS (sv from 2015-04-05 on; `ses` from 2020-12-06 on) or of a table SAS
// (three layouts by sv). The account is without `-secondary`.
//
// Errors: AuthenticationFailed where the version is missing, not of the form yyyy-MM-dd, or too old for its
// kind; where a table SAS names no table; where a parameter holds a line break, which would let its parts
// pass for other fields; where one comes twice, for nobody knows which of its values was signed.
Result<std::string> sas_string_to_sign(const SasParameters& sas, std::string_view account);

}  // namespace rocktable
