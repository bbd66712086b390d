// A draft is a string to sign, split into its parts. A mistake changes one part. find_mistake() tries all
// drafts with one mistake, then all with two mistakes in different parts. The size limits keep the cost at
// some milliseconds.
#include "server/access/signature_mistakes.h"

#include <algorithm>
#include <functional>

#include "base/base64.h"
#include "base/text.h"
#include "base/uri.h"
#include "odata/protocol/development_account.h"
#include "odata/protocol/query_string.h"
#include "odata/protocol/shared_key.h"
#include "server/access/accounts.h"

namespace rocktable {
namespace {

constexpr std::size_t kMaxTextToTry = 16 << 10;
constexpr std::size_t kMaxTextForPairs = 1024;
constexpr std::size_t kMaxPermuted = 5;  // letters: 120 orders

// The part that a mistake changes. Two mistakes in the same part are not combined.
enum class Part {
  Layout,
  Verb,
  Type,
  Md5,
  Date,
  Account,
  Path,
  Component,  // Shared Key
  Table,
  Lines,
  End,
  Values,
  Times,
  Order,  // shared access signatures
  Key,
  Signature
};

template <class Draft>
struct Mistake {
  Part part;
  std::string what;
  std::function<void(Draft&)> make;
  bool alone = false;  // not combined with others
};

template <class Draft, class Fits>
std::optional<std::string> find_mistake(const std::vector<Draft>& correct_drafts,
                                        const std::vector<Mistake<Draft>>& mistakes, const Fits& fits) {
  const auto tries = [&](const Draft& draft, const Mistake<Draft>& mistake) {
    Draft wrong = draft;
    mistake.make(wrong);
    return wrong;
  };
  for (const Draft& correct : correct_drafts)
    for (const auto& mistake : mistakes)
      if (fits(tries(correct, mistake))) return mistake.what;
  if (correct_drafts.front().text().size() > kMaxTextForPairs) return std::nullopt;
  for (const Draft& correct : correct_drafts) {
    for (std::size_t i = 0; i < mistakes.size(); ++i) {
      const Draft wrong = tries(correct, mistakes[i]);
      for (std::size_t j = i + 1; j < mistakes.size(); ++j) {
        if (mistakes[i].part == mistakes[j].part || mistakes[i].alone || mistakes[j].alone) continue;
        if (fits(tries(wrong, mistakes[j]))) return mistakes[i].what + ", and " + mistakes[j].what;
      }
    }
  }
  return std::nullopt;
}

// --- Keys and signatures of both kinds of drafts ----------------------------------------------------------

enum class KeyForm { Own, Text, WellKnown };

// The keys that the client may have signed with.
class CandidateKeys {
 public:
  explicit CandidateKeys(const std::vector<std::string>& own) : own_(own) {
    for (const auto& key : own) texts_.push_back(encode_base64(key));
    const bool known = std::find(own.begin(), own.end(), kDevelopmentKey) != own.end();
    if (!known) well_known_.emplace_back(kDevelopmentKey);
  }

  bool sign(KeyForm form, std::string_view text, std::string_view signature) const {
    return is_signed(text, signature, form == KeyForm::Own ? own_ : form == KeyForm::Text ? texts_ : well_known_);
  }

 private:
  const std::vector<std::string>& own_;
  std::vector<std::string> texts_, well_known_;
};

// These convert a signature that the client wrote in another encoding to base64.
std::string hex_as_base64(std::string_view hex) {
  std::string bytes;
  for (std::size_t i = 0; i + 1 < hex.size(); i += 2) {
    const int high = hex_value(hex[i]), low = hex_value(hex[i + 1]);
    if (high < 0 || low < 0) return {};
    bytes += static_cast<char>(high * 16 + low);
  }
  return encode_base64(bytes);
}

std::string standard_base64(std::string text) {
  std::replace(text.begin(), text.end(), '-', '+');
  std::replace(text.begin(), text.end(), '_', '/');
  return text + std::string((4 - text.size() % 4) % 4, '=');
}

template <class Draft>
void add_common_mistakes(std::vector<Mistake<Draft>>& out) {
  out.push_back({Part::Key, "signed with the emulator's well-known key, but this account has keys of its own",
                 [](Draft& d) { d.key = KeyForm::WellKnown; }});
  out.push_back({Part::Key, "signed with the key's base64 text; it must be decoded first",
                 [](Draft& d) { d.key = KeyForm::Text; }});
  out.push_back({Part::Signature, "percent-encoded the signature twice",
                 [](Draft& d) { d.signature = percent_decode(d.signature, false).value_or(""); }});
  out.push_back({Part::Signature, "wrote the signature in hex; it must be base64",
                 [](Draft& d) { d.signature = hex_as_base64(d.signature); }});
  out.push_back({Part::Signature, "wrote the signature in base64url or without padding; it must be base64",
                 [](Draft& d) { d.signature = standard_base64(d.signature); }});
  out.push_back({Part::Signature, "sent the signature with blanks in place of its plus signs",
                 [](Draft& d) { std::replace(d.signature.begin(), d.signature.end(), ' ', '+'); }});
}

// --- Shared Key ------------------------------------------------------------------------------------------

// The string to sign of blobs and queues, which has more lines than that of tables.
// Source: learn.microsoft.com/rest/api/storageservices/authorize-with-shared-key
std::string blob_headers(const Headers& headers) {
  std::vector<std::string> lines;
  for (const auto& [name, value] : headers.all()) {
    const std::string lower = to_lower_ascii(name);
    if (lower.starts_with("x-ms-")) lines.push_back(lower + ":" + std::string(trim(value)) + "\n");
  }
  std::sort(lines.begin(), lines.end());
  std::string out;
  for (const auto& line : lines) out += line;
  return out;
}

std::string blob_query(std::string_view query) {
  std::vector<std::string> lines;
  for_each_query_parameter(query, [&](std::string_view name, std::string_view value) {
    lines.push_back("\n" + to_lower_ascii(decode_query_value(name)) + ":" + decode_query_value(value));
  });
  std::sort(lines.begin(), lines.end());
  std::string out;
  for (const auto& line : lines) out += line;
  return out;
}

// The header lines that blobs and queues sign. Built once: there may be thousands of headers and hundreds of
// drafts.
struct BlobLines {
  std::string content;     // encoding, language, length
  std::string conditions;  // from If-Modified-Since to Range
  std::string headers;     // x-ms-
  bool has_date;           // x-ms-date

  explicit BlobLines(const Headers& all) : headers(blob_headers(all)), has_date(all.has("x-ms-date")) {
    const auto line = [](std::string& out, std::string_view value) { out.append(value).append("\n"); };
    line(content, all.get("Content-Encoding"));
    line(content, all.get("Content-Language"));
    line(content, all.get("Content-Length") == "0" ? "" : all.get("Content-Length"));
    for (const char* name : {"If-Modified-Since", "If-Match", "If-None-Match", "If-Unmodified-Since", "Range"})
      line(conditions, all.get(name));
  }

  std::size_t size() const { return content.size() + conditions.size() + headers.size(); }
};

struct KeyDraft {
  enum class Layout { SharedKey, Lite, Blob, BlobLite } layout;
  const BlobLines* blob;
  std::string query;  // raw
  std::string verb, md5, type, date;
  std::string account, path, component;  // `/account`, `/path`, `?comp=...`
  std::string signature;
  KeyForm key = KeyForm::Own;

  std::string text() const {
    const std::string resource = account + path + component;
    switch (layout) {
      case Layout::SharedKey:
        return verb + "\n" + md5 + "\n" + type + "\n" + date + "\n" + resource;
      case Layout::Lite:
        return date + "\n" + resource;
      case Layout::BlobLite:
        return verb + "\n" + md5 + "\n" + type + "\n" + date + "\n" + blob->headers + resource;
      case Layout::Blob:
        break;
    }
    return verb + "\n" + blob->content + md5 + "\n" + type + "\n" + date + "\n" + blob->conditions + blob->headers +
           account + path + blob_query(query);
  }
};

// Percent-encodes all characters except letters, digits, `-._~/` and those in `kept`.
std::string encoded(std::string_view text, std::string_view kept) {
  std::string out;
  for (const char c : text) {
    const bool keep = c == '/' || kept.find(c) != kept.npos;
    out += keep ? std::string(1, c) : percent_encode({&c, 1});
  }
  return out;
}

std::string with_hex_in(std::string_view path, bool lower) {
  std::string out(path);
  for (std::size_t i = 0; i + 2 < out.size(); ++i) {
    if (out[i] != '%') continue;
    for (const std::size_t at : {i + 1, i + 2})
      out[at] = static_cast<char>(lower ? std::tolower(static_cast<unsigned char>(out[at]))
                                        : std::toupper(static_cast<unsigned char>(out[at])));
  }
  return out;
}

using KeyMistakes = std::vector<Mistake<KeyDraft>>;

void add_layout_mistakes(KeyMistakes& out, bool lite, const BlobLines& blob) {
  using Layout = KeyDraft::Layout;
  if (lite) {
    out.push_back({Part::Layout, "signed the string of SharedKey, but sent the scheme SharedKeyLite",
                   [](KeyDraft& d) { d.layout = Layout::SharedKey; }});
  } else {
    out.push_back({Part::Layout, "signed the string of SharedKeyLite, but sent the scheme SharedKey",
                   [](KeyDraft& d) { d.layout = Layout::Lite; }});
  }
  if (blob.size() > kMaxTextToTry) return;
  const bool alone = blob.size() > kMaxTextForPairs;
  for (const bool empty_date : {true, false}) {
    const auto make = [empty_date](Layout layout) {
      return [=](KeyDraft& d) {
        d.layout = layout;
        if (empty_date && d.blob->has_date) d.date.clear();
      };
    };
    out.push_back({Part::Layout, "signed the string of SharedKey for blobs and queues; that of tables has no headers",
                   make(Layout::Blob), alone});
    out.push_back({Part::Layout, "signed the x-ms- headers, as for blobs and queues; tables do not sign them",
                   make(Layout::BlobLite), alone});
  }
}

void add_line_mistakes(KeyMistakes& out, const Headers& headers, std::string_view verb) {
  out.push_back({Part::Verb, "signed the verb in lower case; it must be in upper case",
                 [verb = to_lower_ascii(verb)](KeyDraft& d) { d.verb = verb; }});
  if (const auto tunnelled = headers.get("X-HTTP-Method"); !tunnelled.empty()) {
    out.push_back({Part::Verb, "signed the verb of X-HTTP-Method; it must be the verb of the request line",
                   [verb = std::string(tunnelled)](KeyDraft& d) { d.verb = verb; }});
  }
  const std::string type(headers.get("Content-Type"));
  const auto typed = [&](const char* what, const std::string& value) {
    if (value != type) out.push_back({Part::Type, what, [value](KeyDraft& d) { d.type = value; }});
  };
  typed("signed an empty Content-Type, but the request has one", "");
  typed("signed the Content-Type without its parameters (charset, odata)", type.substr(0, type.find(';')));
  for (const char* charset : {";charset=utf-8", "; charset=utf-8", "; charset=UTF-8"})
    typed("signed the Content-Type with a charset that the request does not have", type + charset);
  if (type.empty()) {
    for (const char* value : {"application/json", "application/json;odata=nometadata", "application/atom+xml"})
      typed("signed a Content-Type, but the request has none", value);
  }
  if (headers.has("Content-MD5")) {
    out.push_back(
        {Part::Md5, "signed an empty Content-MD5, but the request has one", [](KeyDraft& d) { d.md5.clear(); }});
  }
  if (headers.has("x-ms-date") && headers.has("Date")) {
    out.push_back({Part::Date, "signed Date; if the request has x-ms-date, it must sign x-ms-date",
                   [date = std::string(headers.get("Date"))](KeyDraft& d) { d.date = date; }});
  }
  out.push_back({Part::Date, "signed an empty date line, as for blobs and queues; tables sign the date itself",
                 [](KeyDraft& d) { d.date.clear(); }});
}

void add_account_mistakes(KeyMistakes& out, const Target& target, const std::string& origin) {
  const std::string account = "/" + target.account;
  const auto named = [&](std::string what, const std::string& value) {
    out.push_back({Part::Account, std::move(what), [value](KeyDraft& d) { d.account = value; }});
  };
  if (target.base_url.ends_with(account) || target.base_url.ends_with(account + "-secondary")) {
    named("signed the account once; with the account in the URL path (path style) it must appear twice: " + account +
              account + "/...",
          "");
  } else {
    named("signed the account twice; with the account in the host name it must appear once", account + account);
    named("signed the path without the account in front", "");
  }
  named("signed the account with -secondary; it must be without", account + "-secondary");
  named("signed the account without a slash in front", target.account);
  named("signed the full URL; only the account and the path must be signed", origin);
  named("signed the full URL after the account; only the path must be signed", account + "/" + origin);
}

void add_path_mistakes(KeyMistakes& out, const std::string& path, const std::string& query) {
  const auto signed_as = [&](const char* what, const std::string& value) {
    if (value != path) out.push_back({Part::Path, what, [value](KeyDraft& d) { d.path = value; }});
  };
  const std::string decoded = percent_decode(path, false).value_or(path);
  signed_as("signed the path percent-decoded; it must be as in the request line", decoded);
  for (const char* kept : {"", "!'()*", "()$,=", ";:@&=+$,!'()*"})
    signed_as("signed the path with another percent-encoding than in the request line", encoded(decoded, kept));
  for (const bool lower : {true, false})
    signed_as("signed percent-encodings in another letter case than in the request line", with_hex_in(path, lower));
  signed_as("signed the path in lower case; it must be as in the request line", to_lower_ascii(path));
  signed_as("signed the path with a slash at its end", path + "/");
  if (path.ends_with('/')) signed_as("signed the path without the slash at its end", path.substr(0, path.size() - 1));

  const auto component = [&](const char* what, const std::string& value) {
    out.push_back({Part::Component, what, [value](KeyDraft& d) {
                     if (d.component != value) d.component = value;
                   }});
  };
  if (query.empty()) return;
  component("signed the whole query; only comp must be signed", "?" + query);
  component("signed only the path; ?comp=... must be signed, too", "");
}

}  // namespace

std::optional<std::string> find_key_mistake(const Request& request, const Target& target, bool secure,
                                            const Credentials& credentials, const std::vector<std::string>& keys) {
  if (request.target.size() > kMaxTextToTry) return std::nullopt;
  const std::string url = path_of_url(request.target);
  const std::string path = url.substr(0, url.find('?')), query(target.query);
  const std::string origin =
      (secure ? "https://" : "http://") + std::string(request.headers.get("Host").substr(0, 300));

  const BlobLines blob(request.headers);
  KeyDraft draft{credentials.lite ? KeyDraft::Layout::Lite : KeyDraft::Layout::SharedKey,
                 &blob,
                 query,
                 std::string(request.method),
                 std::string(request.headers.get("Content-MD5")),
                 std::string(request.headers.get("Content-Type")),
                 std::string(date_of(request.headers)),
                 "/" + target.account,
                 path,
                 "",
                 std::string(credentials.signature)};
  draft.component = canonicalized_resource("", "/?" + query).substr(2);
  if (draft.text().size() > kMaxTextToTry) return std::nullopt;
  std::vector<KeyDraft> correct_drafts = {draft};
  for (const auto& sent : signed_targets(request, target)) {
    correct_drafts.push_back(draft);
    correct_drafts.back().path = canonicalized_resource("", sent.substr(0, sent.find('?'))).substr(1);
    if (correct_drafts.back().path == path) correct_drafts.pop_back();
  }

  KeyMistakes mistakes;
  add_layout_mistakes(mistakes, credentials.lite, blob);
  add_line_mistakes(mistakes, request.headers, request.method);
  add_account_mistakes(mistakes, target, origin);
  add_path_mistakes(mistakes, path, query);
  add_common_mistakes(mistakes);
  const CandidateKeys all(keys);
  return find_mistake(correct_drafts, mistakes,
                      [&](const KeyDraft& d) { return all.sign(d.key, d.text(), d.signature); });
}

// --- Shared access signatures ----------------------------------------------------------------------------

namespace {

struct SasDraft {
  SasParameters sas;
  std::string account;
  std::string table;  // as in the string to sign
  bool names_service, has_ip, has_range = true, has_encryption_scope, ends_line;
  std::string signature;
  KeyForm key = KeyForm::Own;

  std::string text() const {
    std::vector<std::string_view> lines;
    const std::string resource = (names_service ? "/table/" : "/") + account + "/" + table;
    if (sas.is_account_sas()) {
      lines = {account,    sas.permissions, sas.services, sas.resource_types, sas.start,
               sas.expiry, sas.ip,          sas.protocol, sas.version};
      if (has_encryption_scope) lines.emplace_back(sas.encryption_scope);
    } else {
      lines = {sas.permissions, sas.start, sas.expiry, resource, sas.identifier};
      if (has_ip) lines.insert(lines.end(), {sas.ip, sas.protocol});
      lines.emplace_back(sas.version);
      if (has_range) {
        lines.insert(lines.end(), {sas.start_partition_key, sas.start_row_key, sas.end_partition_key, sas.end_row_key});
      }
    }
    std::string out;
    for (const auto line : lines) out.append(line).append("\n");
    if (!ends_line) out.pop_back();
    return out;
  }
};

using SasMistakes = std::vector<Mistake<SasDraft>>;
using SasText = std::string SasParameters::*;

constexpr SasText kValuesOfClients[] = {&SasParameters::permissions,    &SasParameters::start,
                                        &SasParameters::expiry,         &SasParameters::ip,
                                        &SasParameters::protocol,       &SasParameters::encryption_scope,
                                        &SasParameters::identifier,     &SasParameters::services,
                                        &SasParameters::resource_types, &SasParameters::start_partition_key,
                                        &SasParameters::start_row_key,  &SasParameters::end_partition_key,
                                        &SasParameters::end_row_key};

void add_resource_mistakes(SasMistakes& out, const SasDraft& correct) {
  const std::string account = correct.account;
  out.push_back({Part::Account, "signed the account twice; in a SAS it must appear once in either URL style",
                 [=](SasDraft& d) { d.account = account + "/" + account; }});
  out.push_back({Part::Account, "signed the account with -secondary; it must be without",
                 [=](SasDraft& d) { d.account = account + "-secondary"; }});
  if (correct.sas.is_account_sas()) {
    out.push_back({Part::Account, "signed a slash in front of the account; only the name must be signed",
                   [=](SasDraft& d) { d.account = "/" + account; }});
    return;
  }
  if (correct.table != correct.sas.table) {
    out.push_back({Part::Table, "signed the table name as in tn; it must be in lower case",
                   [](SasDraft& d) { d.table = d.sas.table; }});
  }
  out.push_back({Part::Table, "signed the resource without a table name", [](SasDraft& d) { d.table.clear(); }});
}

void add_line_mistakes(SasMistakes& out, const SasDraft& correct) {
  const auto layout = [&](const char* what, auto make) { out.push_back({Part::Lines, what, make}); };
  if (!correct.sas.is_account_sas()) {
    if (correct.has_ip) {
      layout("signed the layout of sv before 2015-04-05, without the lines of sip and spr",
             [](SasDraft& d) { d.has_ip = false; });
      layout("signed the layout of sv before 2015-02-21, without /table and the lines of sip and spr",
             [](SasDraft& d) { d.has_ip = d.names_service = false; });
      layout("signed the resource without /table in front, as before sv 2015-02-21",
             [](SasDraft& d) { d.names_service = false; });
    } else {
      layout("signed the layout of sv 2015-04-05 and later, with lines for sip and spr",
             [](SasDraft& d) { d.has_ip = d.names_service = true; });
      layout(correct.names_service ? "signed the resource without /table in front, as before sv 2015-02-21"
                                   : "signed the resource with /table in front, as since sv 2015-02-21",
             [](SasDraft& d) { d.names_service = !d.names_service; });
    }
    layout("left out the four lines of the key range (spk, srk, epk, erk); they are required even if empty",
           [](SasDraft& d) { d.has_range = false; });
    out.push_back(
        {Part::End, "signed a line break at the end; a table SAS has none", [](SasDraft& d) { d.ends_line = true; }});
    return;
  }
  layout(correct.has_encryption_scope ? "left out the line of ses, which is required since sv 2020-12-06"
                                      : "signed a line for ses, which only exists since sv 2020-12-06",
         [](SasDraft& d) { d.has_encryption_scope = !d.has_encryption_scope; });
  out.push_back({Part::End, "left out the line break at the end; an account SAS has one",
                 [](SasDraft& d) { d.ends_line = false; }});
}

std::string replaced(std::string text, char from, char to) {
  std::replace(text.begin(), text.end(), from, to);
  return text;
}

void add_value_mistakes(SasMistakes& out) {
  const auto each = [&](const char* what, std::string (*change)(const std::string&)) {
    out.push_back({Part::Values, what, [change](SasDraft& d) {
                     for (const SasText value : kValuesOfClients) d.sas.*value = change(d.sas.*value);
                   }});
  };
  each("signed the values percent-encoded; they must be decoded",
       [](const std::string& value) { return percent_encode(value); });
  each("signed a plus, but the URL has a blank (in a URL, + is a blank and %2B is a plus)",
       [](const std::string& value) { return replaced(value, ' ', '+'); });
  each("signed a blank, but the URL has a plus (%2B)",
       [](const std::string& value) { return replaced(value, '+', ' '); });
  const auto times = [&](const char* what, std::string (*change)(DateTime)) {
    out.push_back({Part::Times, what, [change](SasDraft& d) {
                     for (const SasText field : {&SasParameters::start, &SasParameters::expiry})
                       if (const auto time = parse_date_time(d.sas.*field)) d.sas.*field = change(*time);
                   }});
  };
  times("signed times (st, se) in another form than in the URL: with seven decimals", to_string_7);
  times("signed times (st, se) in another form than in the URL: without decimals",
        [](DateTime time) { return to_string(whole_second(time)); });
}

// All orders of up to kMaxPermuted letters; for more letters, only the alphabetical and the usual order.
std::vector<std::string> orders_of(std::string letters) {
  std::sort(letters.begin(), letters.end());
  std::vector<std::string> out = {letters};
  if (letters.size() <= kMaxPermuted) {
    while (std::next_permutation(letters.begin(), letters.end())) out.push_back(letters);
    return out;
  }
  constexpr std::string_view kUsual = "rwdxylacuptfibqo";
  std::sort(letters.begin(), letters.end(), [&](char a, char b) { return kUsual.find(a) < kUsual.find(b); });
  out.push_back(letters);
  return out;
}

void add_order_mistakes(SasMistakes& out, const SasParameters& sas) {
  const auto orders = [&](const std::string& name, SasText field) {
    for (const auto& order : orders_of(sas.*field)) {
      if (order == sas.*field) continue;
      out.push_back({Part::Order, "signed the letters of " + name + " in another order than in the URL",
                     [field, order](SasDraft& d) { d.sas.*field = order; }, /*alone=*/true});
    }
  };
  orders("sp", &SasParameters::permissions);
  orders("ss", &SasParameters::services);
  orders("srt", &SasParameters::resource_types);
}

}  // namespace

std::optional<std::string> find_sas_mistake(const SasParameters& sas, const Target& target,
                                            const std::vector<std::string>& keys) {
  SasDraft correct{sas,
                   target.account,
                   to_lower_ascii(sas.table),
                   sas.version >= "2015-02-21",
                   sas.version >= "2015-04-05",
                   true,
                   sas.version >= "2020-12-06",
                   sas.is_account_sas(),
                   sas.signature};
  if (correct.text().size() > kMaxTextToTry) return std::nullopt;
  SasMistakes mistakes;
  add_resource_mistakes(mistakes, correct);
  add_line_mistakes(mistakes, correct);
  add_value_mistakes(mistakes);
  add_order_mistakes(mistakes, sas);
  add_common_mistakes(mistakes);
  const CandidateKeys all(keys);
  return find_mistake(std::vector{correct}, mistakes,
                      [&](const SasDraft& d) { return all.sign(d.key, d.text(), d.signature); });
}

}  // namespace rocktable
