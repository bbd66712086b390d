// Signs variants of the string with the right key, and the right string with other keys, until one fits.
#include "server/access/delegation/delegation_mistakes.h"

#include <array>
#include <utility>

#include "base/base64.h"
#include "base/uri.h"
#include "odata/protocol/shared_key.h"
#include "server/access/delegation/delegation_checks.h"

namespace rocktable {
namespace {

constexpr std::array<const char*, 19> kDelegationLines = {"sp",  "st",  "se",  "the table", "skoid",  "sktid", "skt",
                                                          "ske", "sks", "skv", "skdutid",   "sduoid", "sip",   "spr",
                                                          "sv",  "spk", "srk", "epk",       "erk"};
constexpr std::size_t kResourceLine = 3;

using TextLines = std::vector<std::string>;

TextLines split_lines(const std::string& text) {
  TextLines out{""};
  for (const char c : text) {
    if (c == '\n') {
      out.emplace_back();
    } else {
      out.back() += c;
    }
  }
  return out;
}

std::string joined_lines(const TextLines& lines) {
  std::string out;
  for (const auto& line : lines) out.append(line).append("\n");
  out.pop_back();
  return out;
}

std::string line_name(std::size_t index) {
  return "line " + std::to_string(index + 1) + " (" + kDelegationLines[index] + ")";
}

// Looks for a text that the key signed.
class DelegationVariants {
 public:
  DelegationVariants(const SasParameters& sas, std::string_view account, const AccountKey& key)
      : sas_(sas), account_(account), key_(key), lines_(split_lines(sas_string_to_sign(sas, account).value())) {}

  std::optional<std::string> find() {
    if (auto found = other_shape()) return found;
    if (auto found = other_resource()) return found;
    return other_line();
  }

 private:
  bool fits(const std::string& text) const { return key_.has_signed(text, sas_.signature); }

  bool fits_with(std::size_t index, const std::string& line) const {
    TextLines changed = lines_;
    changed[index] = line;
    return fits(joined_lines(changed));
  }

  // Other numbers of lines.
  std::optional<std::string> other_shape() const {
    if (fits(joined_lines(lines_) + "\n")) return "signed a line break at the end of the string";
    for (const std::size_t count : {std::size_t{15}, std::size_t{18}})
      if (fits(joined_lines({lines_.begin(), lines_.begin() + static_cast<std::ptrdiff_t>(count)})))
        return "signed the first " + std::to_string(count) + " of 19 lines; the key range follows them";
    for (std::size_t i = 0; i < lines_.size(); ++i) {
      TextLines shorter = lines_;
      shorter.erase(shorter.begin() + static_cast<std::ptrdiff_t>(i));
      if (fits(joined_lines(shorter))) return "signed 18 lines, without " + line_name(i);
    }
    TextLines filled;
    for (const auto& line : lines_)
      if (!line.empty()) filled.push_back(line);
    if (fits(joined_lines(filled))) return "left out the lines of absent fields; they must be there, empty";
    return std::nullopt;
  }

  std::optional<std::string> other_resource() const {
    const std::string account(account_), lower = lines_[kResourceLine].substr(lines_[kResourceLine].rfind('/') + 1);
    for (const auto& [line, mistake] : {
             std::pair{"/table/" + account + "/" + sas_.table, "signed the table with capitals; line 4 is lower case"},
             {"/" + account + "/" + lower, "signed line 4 without /table"},
             {"/table/" + account + "/" + account + "/" + lower, "signed the account twice in line 4"},
             {"/table/" + account + "-secondary/" + lower, "signed -secondary in line 4"},
             {"table/" + account + "/" + lower, "signed line 4 without the slash at its beginning"},
             {"/blob/" + account + "/" + lower, "signed line 4 with /blob"},
             {"/table/" + account, "signed line 4 without the table"},
             {lower, "signed line 4 without /table and the account"},
         })
      if (fits_with(kResourceLine, line)) return std::string(mistake);
    return std::nullopt;
  }

  // One line with another value.
  std::optional<std::string> other_line() const {
    for (std::size_t i = 0; i < lines_.size(); ++i) {
      if (!lines_[i].empty() && fits_with(i, "")) return "signed " + line_name(i) + " empty, but sent a value";
      for (const auto& value : other_forms(i))
        if (value != lines_[i] && fits_with(i, value))
          return "signed another form of " + line_name(i) + " than it sent";
      for (std::size_t j = i + 1; j < lines_.size(); ++j) {
        TextLines swapped = lines_;
        std::swap(swapped[i], swapped[j]);
        if (lines_[i] != lines_[j] && fits(joined_lines(swapped)))
          return "signed " + line_name(i) + " and " + line_name(j) + " in each other's place";
      }
    }
    return std::nullopt;
  }

  // What a library may have made of the value before it signed it, or after.
  static std::vector<std::string> forms_of_time(DateTime time) {
    const std::string whole = to_string(time), seven = to_string_7(time);
    std::vector<std::string> out{whole, seven, whole.substr(0, whole.size() - 1), whole.substr(0, 10)};
    out.push_back(seven.substr(0, seven.size() - 2) + "Z");  // microseconds
    out.push_back(whole.substr(0, whole.size() - 1) + "+00:00");
    return out;
  }

  std::vector<std::string> other_forms(std::size_t index) const {
    const std::string& line = lines_[index];
    if (line.empty()) return {sas_.version, "https", "https,http", "t"};
    std::vector<std::string> out{percent_encode(line), to_lower_ascii(line)};
    if (const auto decoded = percent_decode(line, true)) out.push_back(*decoded);
    if (const auto time = parse_access_time(line)) {
      for (auto& form : forms_of_time(*time)) out.push_back(std::move(form));
    }
    return out;
  }

  const SasParameters& sas_;
  std::string_view account_;
  const AccountKey& key_;
  const TextLines lines_;
};

}  // namespace

std::optional<std::string> find_delegation_mistake(const SasParameters& sas, std::string_view account,
                                                   const DelegationKeys& keys,
                                                   const std::vector<std::string>& account_keys) {
  const auto key = delegation_key_of(sas);
  const auto text = sas_string_to_sign(sas, account);
  if (!key || !text) return std::nullopt;
  const std::string value = keys.value_of(account, *key);
  if (AccountKey(encode_base64(value)).has_signed(*text, sas.signature))
    return "signed with the text of the key's Value; it is base64 of the key";
  for (const auto& account_key : account_keys)
    if (AccountKey(account_key).has_signed(*text, sas.signature))
      return "signed with the account's key; a SAS with skoid is signed with the Value of its user delegation key";
  return DelegationVariants(sas, account, AccountKey(value)).find();
}

}  // namespace rocktable
