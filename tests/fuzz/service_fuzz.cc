// Any bytes as consecutive requests of the account's owner to a service with an empty store in memory. Each
// response is complete and well-formed, none has a server error, inserted entities are found, and a caller
// without key gets nothing.
//
// 0x1E separates requests. Each is a line `METHOD resource?query`, header lines, an empty line, and the body.
#include <nlohmann/json.hpp>
#include <pugixml.hpp>

#include "odata/protocol/development_account.h"
#include "odata/protocol/shared_key.h"
#include "server/emulator.h"
#include "tests/fuzz/require.h"
#include "tests/fuzz/targets.h"
#include "tests/unit/support/opened_store.h"

namespace rocktable {
namespace {

constexpr char kNextRequest = '\x1E';
constexpr std::string_view kHost = "127.0.0.1:10002";
constexpr int kRunsOfAStore = 2000;  // because an account leaves data behind
constexpr std::size_t kMaxRequests = 12;

struct Sent {
  std::string method, target;
  std::vector<std::pair<std::string, std::string>> fields;
  std::string body;
};

// Returns whether the HTTP parser would accept the request. A service gets no other requests.
bool is_possible(const Sent& sent) {
  return !sent.method.empty() && !holds_control_character(sent.method) && sent.target.find(' ') == sent.target.npos &&
         !holds_control_character(sent.target) &&
         std::all_of(sent.fields.begin(), sent.fields.end(), [](const auto& field) {
           return !field.first.empty() && !holds_control_character(field.first) &&
                  !holds_control_character(field.second);
         });
}

Sent sent_from(std::string_view text, const std::string& account) {
  Sent out;
  const auto head_end = std::min(text.find("\n\n"), text.size());
  out.body = text.substr(std::min(head_end + 2, text.size()));
  const auto lines = lines_of(text.substr(0, head_end));
  const auto space = std::min(lines[0].find(' '), lines[0].size());
  out.method = lines[0].substr(0, space);
  out.target = "/" + account + lines[0].substr(std::min(space + 1, lines[0].size()));
  for (std::size_t i = 1; i < lines.size(); ++i) {
    const auto colon = std::min(lines[i].find(':'), lines[i].size());
    out.fields.emplace_back(lines[i].substr(0, colon),
                            trim(std::string_view(lines[i]).substr(std::min(colon + 1, lines[i].size()))));
  }
  return out;
}

void check_body(const Response& response) {
  const std::string fields = "\r\n" + response.fields;  // a value may look like a field
  // Parts of a batch response contain the Content-ID of the request, byte for byte.
  require(is_utf8(response.body) || fields.find("\r\nContent-Type: multipart/mixed") != fields.npos,
          "an answer that is no text");
  if (fields.find("\r\nContent-Type: application/json") != fields.npos)
    require(nlohmann::json::accept(response.body), "an answer that is no JSON: " + response.body);
  if (fields.find("\r\nContent-Type: application/xml") != fields.npos)
    require(pugi::xml_document().load_buffer(response.body.data(), response.body.size()).status == pugi::status_ok,
            "an answer that is no XML: " + response.body);
}

void check_response(const Response& response) {
  require(response.status >= 200 && response.status < 600 && response.status != 500,
          "an answer with status " + std::to_string(response.status));
  std::string_view rest = response.fields;
  while (!rest.empty()) {
    const auto end = rest.find("\r\n");
    require(end != rest.npos, "a header line without end");
    const auto line = rest.substr(0, end);
    rest.remove_prefix(end + 2);
    require(line.find(": ") != line.npos && !holds_control_character(line), "a header line that is none");
  }
  check_body(response);
}

std::string location_of(const Response& response) {
  for (const auto& line : lines_of(response.fields))
    if (line.starts_with("Location: ")) return line.substr(10, line.size() - 11);
  return {};
}

class Conversation {
 public:
  void hold(std::string_view input) {
    account_ = "fuzz" + std::to_string(++runs_);
    for (std::size_t count = 0; count < kMaxRequests && !input.empty(); ++count) {
      const auto end = std::min(input.find(kNextRequest), input.size());
      ask(sent_from(input.substr(0, end), account_));
      input.remove_prefix(std::min(end + 1, input.size()));
    }
    drop_tables();
  }

  bool is_worn_out() const { return runs_ == kRunsOfAStore; }

 private:
  void ask(const Sent& sent) {
    if (!is_possible(sent)) return;
    const Response stranger = answer(sent, "");
    check_response(stranger);
    require(stranger.status >= 400 || sent.method == "OPTIONS", "a stranger is let in");
    const Response response = response_to_owner(sent);
    check_response(response);
    if (response.status == 201) check_inserted(location_of(response));
    for (const auto service : {StorageService::Blob, StorageService::Queue}) {
      require(answer(sent, "", service).status >= 400, "a stranger is let in where there is no table");
      check_response(response_to_owner(sent, service));
    }
  }

  void check_inserted(const std::string& location) {
    const std::string origin = "http://" + std::string(kHost);
    require(location.starts_with(origin + "/"), "what was inserted is nowhere");
    const Response found =
        response_to_owner({"GET", location.substr(origin.size()), {{"Accept", "application/json"}}, ""});
    require(found.status == 200, "what was inserted is not found at " + location);
    check_response(found);
  }

  Response response_to_owner(Sent sent, StorageService service = StorageService::Table) {
    static const AccountKey kKey(kDevelopmentKey);
    const std::string date = to_http_date(now());
    sent.fields.insert(sent.fields.begin(), {"x-ms-date", date});
    Headers headers;
    for (const auto& [name, value] : sent.fields) headers.add(name, value);
    const SignedRequest parts{sent.method, headers.get("Content-MD5"), headers.get("Content-Type"), date, sent.target};
    const std::string text = service == StorageService::Table
                                 ? shared_key_string_to_sign(account_, parts)
                                 : blob_and_queue_string_to_sign(account_, sent.method, sent.target, headers);
    return answer(sent, "SharedKey " + account_ + ":" + kKey.sign(text), service);
  }

  Response answer(const Sent& sent, const std::string& authorization, StorageService service = StorageService::Table) {
    Request request{sent.method, sent.target, {}, &sent.body, "127.0.0.1", service};
    request.headers.add("Host", kHost);
    request.headers.add("Authorization", authorization);
    for (const auto& [name, value] : sent.fields)
      if (!equals_ignoring_case(name, "Host") && !equals_ignoring_case(name, "Authorization"))
        request.headers.add(name, value);
    MemoryBudget answers(256 << 20);
    MemoryBudget::Share memory(answers);
    CallHolder call;
    emulator_.service().accept(request, call);
    return call->run(false, memory);
  }

  void drop_tables() {
    std::vector<std::string> names;
    store_.list_tables(account_, all_keys(), 1000, [&](const Table& table) {
      names.push_back(table.name);
      return true;
    });
    for (const auto& name : names) require(store_.delete_table({account_, name}).has_value(), "a table stays");
  }

  OpenedStore store_{{.directory = {}, .in_memory = true}};
  Emulator emulator_{store_,
                     Accounts({}, /*any=*/true),
                     {.service = {.explain_auth = true, .explain_headers = true, .insight_headers = true}}};
  std::string account_;
  int runs_ = 0;
};

}  // namespace

void fuzz_service(std::string_view input) {
  // Never destroyed, because RocksDB's own statics are destroyed before it.
  static auto& conversation = *new std::unique_ptr<Conversation>;
  if (!conversation || conversation->is_worn_out()) conversation = std::make_unique<Conversation>();
  conversation->hold(input);
}

}  // namespace rocktable
