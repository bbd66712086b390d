// Makes shared access signatures: of an account, of a table, and with a user delegation key.
#pragma once

#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

#include "base/date_time.h"
#include "odata/protocol/sas.h"

namespace rocktable {

// What cannot be signed, or would allow nothing. The message begins with the name of the value at fault, as flags and the
// control API have it: `expiry is over: the signature would allow nothing`.
class SasWishError : public std::invalid_argument {
 public:
  using std::invalid_argument::invalid_argument;
};

// What a signature is to allow, as a user writes it. Empty texts: absent.
struct SasWish {
  enum class Kind { Account, Table, User } kind = Kind::Table;
  std::string table;           // table and user
  std::string permissions;     // letters
  std::string resource_types;  // account: letters of sco
  std::string start, expiry;   // a time (2026-01-31T12:00:00Z), or a duration from now (1h)
  std::string ip;              // an address or a range
  bool https_only = false;
  std::string policy;  // table: id of a stored access policy
  std::optional<std::string> start_partition_key, start_row_key, end_partition_key, end_row_key;
  std::string user_object_id;  // user: the only user
};

// Returns the parameters without a signature, letters in the service's order, times as yyyy-MM-ddTHH:mm:ssZ. Without an
// expiry the signature is valid for an hour, unless it has a policy. Throws SasWishError.
SasParameters parameters_of(const SasWish& wish, DateTime now);

// Fills in `sig`. `key`: base64. Throws SasWishError, and std::invalid_argument if the key is no base64.
void sign_sas(SasParameters& sas, std::string_view account, std::string_view key);

// What it allows, as one sentence: `reads and adds entities of the table orders until 2026-01-31T12:00:00Z`.
std::string allowed_by(const SasParameters& sas);

}  // namespace rocktable
