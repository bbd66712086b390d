#include "odata/shared_access/sas_maker.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/duration.h"
#include "base/text.h"
#include "odata/entity.h"
#include "odata/protocol/shared_key.h"

namespace rocktable {
namespace {

constexpr std::string_view kTableLetters = "raud", kAccountLetters = "rwdlacu", kTypeLetters = "sco";
constexpr std::string_view kVersionOfSas = "2020-12-06";
constexpr std::int64_t kHourOfTicks = 3600 * kTicksPerSecond;

// The letters in the order of `known`.
std::string ordered_letters(const std::string& letters, std::string_view known, const std::string& name) {
  if (letters.empty()) throw SasWishError(name + " is missing: letters of " + std::string(known));
  if (letters.find_first_not_of(known) != letters.npos)
    throw SasWishError(name + " has letters other than " + std::string(known));
  std::string out;
  for (const char letter : known)
    if (letters.find(letter) != letters.npos) out += letter;
  return out;
}

DateTime time_of_text(const std::string& text, DateTime now, const std::string& name) {
  if (const auto duration = parse_duration(text)) return whole_second({now.ticks + *duration});
  const auto time = parse_access_time(text);
  if (!time)
    throw SasWishError(name + " must be a time such as 2026-01-31T12:00:00Z, or a duration from now such as 1h");
  return *time;
}

void set_times(SasParameters& sas, const SasWish& wish, DateTime now) {
  const DateTime second = whole_second(now);
  std::optional<DateTime> start;
  if (!wish.start.empty()) start = time_of_text(wish.start, second, "start");
  if (start) sas.start = to_string(*start);
  if (wish.expiry.empty() && !wish.policy.empty()) return;
  const DateTime expiry =
      wish.expiry.empty() ? DateTime{second.ticks + kHourOfTicks} : time_of_text(wish.expiry, second, "expiry");
  if (expiry <= now) throw SasWishError("expiry is over: the signature would allow nothing");
  if (start && *start >= expiry) throw SasWishError("start must be before the expiry");
  sas.expiry = to_string(expiry);
}

void set_bound(const std::optional<std::string>& given, std::string& value, bool& present) {
  if (!given) return;
  value = *given;
  present = true;
}

void set_range(SasParameters& sas, const SasWish& wish) {
  if (wish.start_row_key && !wish.start_partition_key) throw SasWishError("fromRow needs fromPartition");
  if (wish.end_row_key && !wish.end_partition_key) throw SasWishError("toRow needs toPartition");
  set_bound(wish.start_partition_key, sas.start_partition_key, sas.has_start_partition_key);
  set_bound(wish.start_row_key, sas.start_row_key, sas.has_start_row_key);
  set_bound(wish.end_partition_key, sas.end_partition_key, sas.has_end_partition_key);
  set_bound(wish.end_row_key, sas.end_row_key, sas.has_end_row_key);
}

void set_table(SasParameters& sas, const SasWish& wish) {
  if (!check_table_name(wish.table)) throw SasWishError("table is no name of a table: " + wish.table);
  sas.table = wish.table;
  set_range(sas, wish);
}

// --- Words ------------------------------------------------------------------------------------------------

using Verbs = std::vector<std::string_view>;

std::string listed_verbs(const Verbs& verbs) {
  std::string out;
  for (std::size_t i = 0; i < verbs.size(); ++i)
    out.append(i == 0 ? "" : i + 1 == verbs.size() ? " and " : ", ").append(verbs[i]);
  return out;
}

Verbs verbs_of(const std::string& letters) {
  Verbs out;
  for (const auto& [letter, verb] : {std::pair{'r', "reads"}, {'a', "adds"}, {'u', "updates"}, {'d', "deletes"}})
    if (letters.find(letter) != letters.npos) out.emplace_back(verb);
  return out;
}

std::string key_in_words(const std::string& partition_key, bool has_row, const std::string& row_key) {
  return "PartitionKey '" + partition_key + "'" + (has_row ? ", RowKey '" + row_key + "'" : "");
}

std::string of_entities(const SasParameters& sas) {
  std::string out =
      sas.permissions.empty() ? "does what its policy says with" : listed_verbs(verbs_of(sas.permissions));
  out += " entities of the table " + sas.table;
  if (sas.has_start_partition_key)
    out += " from " + key_in_words(sas.start_partition_key, sas.has_start_row_key, sas.start_row_key);
  if (sas.has_end_partition_key)
    out += " to " + key_in_words(sas.end_partition_key, sas.has_end_row_key, sas.end_row_key);
  return out;
}

std::string of_account(const SasParameters& sas) {
  const auto has = [&](char letter) { return sas.permissions.find(letter) != std::string::npos; };
  std::vector<std::string> parts;
  if (sas.resource_types.find('s') != std::string::npos) {
    if (has('r')) parts.emplace_back("reads service properties and statistics");
    if (has('w')) parts.emplace_back("sets service properties");
  }
  if (sas.resource_types.find('c') != std::string::npos) {
    if (has('l')) parts.emplace_back("lists tables");
    if (has('c') || has('w')) parts.emplace_back("creates tables");
    if (has('d')) parts.emplace_back("deletes tables");
  }
  if (const Verbs verbs = verbs_of(sas.permissions);
      !verbs.empty() && sas.resource_types.find('o') != std::string::npos)
    parts.push_back(listed_verbs(verbs) + " entities of all tables");
  return joined(parts);
}

}  // namespace

SasParameters parameters_of(const SasWish& wish, DateTime now) {
  if (!wish.policy.empty() && wish.kind != SasWish::Kind::Table)
    throw SasWishError("policy is only for signatures of a table");
  SasParameters sas;
  sas.version = kVersionOfSas;
  set_times(sas, wish, now);
  sas.ip = wish.ip;
  if (wish.https_only) sas.protocol = "https";
  switch (wish.kind) {
    case SasWish::Kind::Account:
      sas.services = "t";
      sas.permissions = ordered_letters(wish.permissions, kAccountLetters, "permissions");
      sas.resource_types = ordered_letters(wish.resource_types, kTypeLetters, "types");
      if (of_account(sas).empty()) throw SasWishError("permissions allow nothing with these types");
      break;
    case SasWish::Kind::Table:
      sas.identifier = wish.policy;
      if (wish.policy.empty() || !wish.permissions.empty())
        sas.permissions = ordered_letters(wish.permissions, kTableLetters, "permissions");
      set_table(sas, wish);
      break;
    case SasWish::Kind::User:
      sas.version = kFirstTableDelegation;
      sas.permissions = ordered_letters(wish.permissions, kTableLetters, "permissions");
      sas.user_object_id = wish.user_object_id;
      set_table(sas, wish);
      break;
  }
  return sas;
}

void sign_sas(SasParameters& sas, std::string_view account, std::string_view key) {
  const auto text = sas_string_to_sign(sas, account);
  if (!text) throw SasWishError("values must not contain line breaks");
  sas.signature = AccountKey(key).sign(*text);
}

std::string allowed_by(const SasParameters& sas) {
  std::string out = sas.is_account_sas() ? of_account(sas) : of_entities(sas);
  if (!sas.start.empty()) out += ", from " + sas.start + " on";
  out += sas.expiry.empty() ? ", as long as its policy " + sas.identifier + " says" : ", until " + sas.expiry;
  if (!sas.protocol.empty()) out += ", over HTTPS only";
  if (!sas.ip.empty()) out += ", from the address " + sas.ip + " only";
  if (sas.is_delegation_sas()) out += ", as far as the roles of " + sas.key_object_id + " permit it at that time";
  if (!sas.user_object_id.empty()) out += ", with a bearer token of " + sas.user_object_id;
  return out;
}

}  // namespace rocktable
