#include "server/events/debug_lines.h"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <nlohmann/json.hpp>
#include <optional>

#include "server/events/masking.h"

namespace rocktable {
namespace {

constexpr std::size_t kMaxMessage = 500;
constexpr std::size_t kMaxTarget = 300;
constexpr std::size_t kMostOperations = 100;  // a batch has at most as many

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

// In JSON or in XML. The part of a batch has it among other lines.
BodyError error_in(std::string_view body) {
  const auto brace = body.find("{\"odata.error\"");
  if (brace != body.npos) {
    const std::string_view object = body.substr(brace, body.rfind('}') + 1 - brace);
    const auto document = nlohmann::json::parse(object, nullptr, false);
    if (document.is_discarded()) return {};
    const nlohmann::json error = document.value("odata.error", nlohmann::json::object());
    const auto message = error.find("message");
    return {error.value("code", ""), message == error.end() ? "" : message->value("value", "")};
  }
  std::string_view message = between(body, "<message", "</message>");
  if (message.empty()) message = between(body, "<Message", "</Message>");
  message.remove_prefix(std::min(message.find('>') + 1, message.size()));
  std::string_view code = between(body, "<code>", "</code>");
  if (code.empty()) code = between(body, "<Code>", "</Code>");
  return {std::string(code), std::string(message)};
}

// Its first line: the others are the id and the time.
std::string shown(const BodyError& error) {
  const std::string_view message = std::string_view(error.message).substr(0, error.message.find('\n'));
  std::string text = masked_text(message.substr(0, kMaxMessage));
  for (char& c : text)
    if (static_cast<unsigned char>(c) < ' ' || c == '\x7f') c = ' ';
  return text.empty() ? error.code : error.code + ": " + text;
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
  constexpr std::array<std::string_view, 6> kMethods = {"GET ",   "POST ",  "PUT ",
                                                        "MERGE ", "PATCH ", "DELETE "};
  constexpr std::string_view kEnd = " HTTP/1.1";
  std::vector<std::string> out;
  for (std::string_view line : lines_of(body)) {
    const bool begins = std::ranges::any_of(kMethods, [&](auto method) { return line.starts_with(method); });
    if (!begins || !line.ends_with(kEnd) || out.size() == kMostOperations) continue;
    line.remove_suffix(kEnd.size());
    const auto space = line.find(' ');
    const std::string target =
        percent_encoded(without_signature(line.substr(space + 1).substr(0, kMaxTarget)));
    out.push_back(std::string(line.substr(0, space + 1)) + target);
  }
  return out;
}

// The status of each part of the answer.
std::vector<int> statuses_in(std::string_view body) {
  constexpr std::string_view kBegin = "HTTP/1.1 ";
  std::vector<int> out;
  for (const std::string_view line : lines_of(body)) {
    if (!line.starts_with(kBegin)) continue;
    int status = 0;
    std::from_chars(line.data() + kBegin.size(), line.data() + line.size(), status);
    out.push_back(status);
  }
  return out;
}

// `2:The specified entity ...` names the operation. Removes the number.
std::optional<std::size_t> take_index(std::string& message) {
  std::size_t index = 0;
  const auto [end, error] = std::from_chars(message.data(), message.data() + message.size(), index);
  if (error != std::errc() || end == message.data() + message.size() || *end != ':') return std::nullopt;
  message.erase(0, static_cast<std::size_t>(end - message.data()) + 1);
  return index;
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
  BodyError error = error_in(event.response->body);
  if (error.code.empty()) error.code = to_string(*event.error);
  return " " + shown(error);
}

std::vector<std::string> operations_of(const RequestEvent& event) {
  const bool is_batch = event.operation != nullptr && std::holds_alternative<Batch>(*event.operation);
  if (!is_batch || event.request == nullptr || event.request->body == nullptr || event.response == nullptr)
    return {};
  std::vector<std::string> out = requests_in(*event.request->body);
  const std::vector<int> statuses = statuses_in(event.response->body);
  BodyError error = error_in(event.response->body);
  const auto failed = take_index(error.message);
  const bool has_failed = !error.code.empty();
  for (std::size_t i = 0; i < out.size(); ++i) {
    const bool is_it =
        has_failed && (failed ? *failed == i : statuses.size() == out.size() || out.size() == 1);
    std::string answer = "not done";
    if (!has_failed && i < statuses.size()) answer = std::to_string(statuses[i]);
    if (is_it) answer = (statuses.empty() ? "" : std::to_string(statuses.back()) + " ") + shown(error);
    out[i] = "operation " + std::to_string(i) + ": " + out[i] + " -> " + answer;
  }
  return out;
}

}  // namespace rocktable
