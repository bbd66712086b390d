#include "server/events/debug_lines.h"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "base/printable.h"
#include "base/text.h"
#include "server/events/masking.h"

namespace rocktable {
namespace {

constexpr std::size_t kMaxMessage = 500;
constexpr std::size_t kMaxCode = 90;
constexpr std::size_t kMaxTarget = 300;
constexpr std::size_t kMaxShownOperations = 100;  // a batch has at most as many

constexpr int kFirstRefusal = 400;
constexpr const char* kNotDone = "not done";

// An error as a body has it.
struct BodyError {
  std::string code, message;
};

std::string_view between(std::string_view text, std::string_view begin, std::string_view end) {
  const auto at = text.find(begin);
  if (at == text.npos) return {};
  text.remove_prefix(at + begin.size());
  return text.substr(0, text.find(end));
}

// The text of the first element of this name, which may have attributes.
std::string_view element(std::string_view xml, std::string_view name) {
  std::string_view out = between(xml, "<" + std::string(name), "</" + std::string(name) + ">");
  out.remove_prefix(std::min(out.find('>') + 1, out.size()));
  return out;
}

std::string string_member(const nlohmann::json& object, const char* name) {
  const auto member = object.find(name);
  return member != object.end() && member->is_string() ? member->get<std::string>() : std::string();
}

// In JSON or in XML. The part of a batch has it among other lines. Pass only what reports an error: an entity may
// contain the same words.
BodyError error_in(std::string_view body) {
  const auto brace = body.find("{\"odata.error\"");
  if (brace != body.npos) {
    const std::string_view object = body.substr(brace, body.rfind('}') + 1 - brace);
    const auto document = nlohmann::json::parse(object, nullptr, false);
    if (document.is_discarded()) return {};
    const auto error = document.find("odata.error");
    if (error == document.end()) return {};
    const auto message = error->find("message");
    return {string_member(*error, "code"), message == error->end() ? "" : string_member(*message, "value")};
  }
  // The layers of the service write three forms of XML.
  for (const auto& [code_name, message_name] :
       {std::pair{"code", "message"}, std::pair{"m:code", "m:message"}, std::pair{"Code", "Message"}}) {
    const std::string_view code = element(body, code_name);
    if (!code.empty()) return {std::string(code), std::string(element(body, message_name))};
  }
  return {};
}

// Safe for a terminal, and at most `limit` bytes.
std::string bounded(std::string_view text, std::size_t limit) {
  std::string out = printable(text).substr(0, limit);
  while (!is_utf8(out)) out.pop_back();  // of a character that was cut
  return out;
}

// Its first line: the others are the id and the time.
std::string shown(const BodyError& error) {
  const std::string_view message = std::string_view(error.message).substr(0, error.message.find('\n'));
  const std::string code = bounded(std::string_view(error.code).substr(0, kMaxCode), kMaxCode);
  const std::string text = bounded(masked_text(message.substr(0, kMaxMessage)), kMaxMessage);
  return text.empty() ? code : code + ": " + text;
}

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> out;
  while (!text.empty()) {
    const auto end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    if (line.ends_with('\r')) line.remove_suffix(1);
    out.push_back(line);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return out;
}

// `PUT http://host/account/orders(...)` of each request line.
std::vector<std::string> requests_in(std::string_view body) {
  constexpr std::array<std::string_view, 6> kMethods = {"GET ", "POST ", "PUT ", "MERGE ", "PATCH ", "DELETE "};
  constexpr std::string_view kEnd = " HTTP/1.1";
  std::vector<std::string> out;
  for (std::string_view line : lines_of(body)) {
    const bool begins = std::ranges::any_of(kMethods, [&](auto method) { return line.starts_with(method); });
    if (!begins || !line.ends_with(kEnd) || out.size() == kMaxShownOperations) continue;
    line.remove_suffix(kEnd.size());
    const auto space = line.find(' ');
    const std::string target = percent_encoded(without_signature(line.substr(space + 1).substr(0, kMaxTarget)));
    out.push_back(std::string(line.substr(0, space + 1)) + target);
  }
  return out;
}

struct AnswerPart {
  int status = 0;
  std::string_view text;  // from the status line on

  bool is_refused() const { return status >= kFirstRefusal; }
};

// The answers to the operations. A change set that failed has one.
std::vector<AnswerPart> parts_of(std::string_view body) {
  constexpr std::string_view kBegin = "HTTP/1.1 ";
  std::vector<AnswerPart> out;
  for (const std::string_view line : lines_of(body)) {
    if (!line.starts_with(kBegin)) continue;
    const auto at = static_cast<std::size_t>(line.data() - body.data());
    if (!out.empty()) out.back().text.remove_suffix(body.size() - at);
    int status = 0;
    std::from_chars(line.data() + kBegin.size(), line.data() + line.size(), status);
    out.push_back({status, body.substr(at)});
  }
  return out;
}

// What reports an error: the answer itself, or its first refused part; empty if there is none.
AnswerPart refusal_in(const Response& response) {
  if (response.status >= kFirstRefusal) return {response.status, response.body};
  for (const AnswerPart& part : parts_of(response.body))
    if (part.is_refused()) return part;
  return {};
}

// `2:The specified entity ...` names the operation. Removes the number.
std::optional<std::size_t> take_index(std::string& message) {
  std::size_t index = 0;
  const auto [end, error] = std::from_chars(message.data(), message.data() + message.size(), index);
  if (error != std::errc() || end == message.data() + message.size() || *end != ':') return std::nullopt;
  message.erase(0, static_cast<std::size_t>(end - message.data()) + 1);
  return index;
}

std::string shown(int status, const BodyError& error) {
  const std::string text = shown(error);
  return text.empty() ? std::to_string(status) : std::to_string(status) + " " + text;
}

std::string answer_of(const AnswerPart& part) {
  if (!part.is_refused()) return std::to_string(part.status);
  BodyError error = error_in(part.text);
  take_index(error.message);
  return shown(part.status, error);
}

// One for each operation.
std::vector<std::string> answers_of(const Response& response, std::size_t operations) {
  std::vector<std::string> out;
  const std::vector<AnswerPart> parts = parts_of(response.body);
  const AnswerPart refusal = refusal_in(response);
  if (!refusal.is_refused() || parts.size() == operations) {
    for (std::size_t i = 0; i < operations && i < parts.size(); ++i) out.push_back(answer_of(parts[i]));
    out.resize(operations, kNotDone);
    return out;
  }
  BodyError error = error_in(refusal.text);
  const auto failed = take_index(error.message);
  const std::size_t place = operations == 1 ? 0 : failed.value_or(operations);
  out.resize(operations, kNotDone);
  if (place < operations) out[place] = shown(refusal.status, error);
  return out;
}

}  // namespace

std::string percent_encoded(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c > ' ' && c <= '~' && c != '"') {
      out += c;
    } else {
      out += fmt::format("%{:02X}", static_cast<unsigned char>(c));
    }
  }
  return out;
}

std::string reason_of(const RequestEvent& event) {
  if (!event.error || event.response == nullptr) return {};
  BodyError error = error_in(refusal_in(*event.response).text);
  if (error.code.empty()) error.code = to_string(*event.error);
  return " " + shown(error);
}

std::vector<std::string> operations_of(const RequestEvent& event) {
  const bool is_batch = event.operation != nullptr && std::holds_alternative<Batch>(*event.operation);
  if (!is_batch || event.request == nullptr || event.request->body == nullptr || event.response == nullptr) return {};
  std::vector<std::string> out = requests_in(*event.request->body);
  const std::vector<std::string> answers = answers_of(*event.response, out.size());
  for (std::size_t i = 0; i < out.size(); ++i)
    out[i] = "operation " + std::to_string(i) + ": " + out[i] + " -> " + answers[i];
  return out;
}

}  // namespace rocktable
