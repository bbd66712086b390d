#include "server/monitor/batch_operations.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <nlohmann/json.hpp>

#include "server/events/masking.h"

namespace rocktable {
namespace {

constexpr std::size_t kMaxOperations = 100;  // a batch has at most as many
constexpr std::size_t kMaxOperationTarget = 2'048;
constexpr int kFirstError = 400;

std::string_view take_line(std::string_view& text) {
  const auto end = std::min(text.find('\n'), text.size());
  std::string_view line = text.substr(0, end);
  if (line.ends_with('\r')) line.remove_suffix(1);
  text.remove_prefix(std::min(end + 1, text.size()));
  return line;
}

// A request line, with its target from the path on; empty if the line is none.
std::optional<BatchOperation> operation_in(std::string_view line) {
  constexpr std::array<std::string_view, 6> kMethods = {"GET", "POST", "PUT", "MERGE", "PATCH", "DELETE"};
  constexpr std::string_view kEnd = " HTTP/1.1";
  const auto space = line.find(' ');
  const std::string_view method = line.substr(0, space);
  if (!line.ends_with(kEnd) || std::ranges::find(kMethods, method) == kMethods.end()) return std::nullopt;
  line.remove_suffix(kEnd.size());
  if (space >= line.size()) return std::nullopt;
  std::string_view target = line.substr(space + 1);
  if (const auto host = target.find("://"); host < target.find('/')) {
    const auto path = target.find('/', host + 3);
    target = path == target.npos ? std::string_view("/") : target.substr(path);
  }
  return BatchOperation{method, without_signature(target.substr(0, kMaxOperationTarget)), {}, {}};
}

// The answers to all operations, or one to a change set that failed. Its message then begins with the place of the
// operation: `2:The specified entity ...`.
void add_answers(std::string_view answers, std::vector<BatchOperation>& operations) {
  constexpr std::string_view kBegin = "HTTP/1.1 ";
  std::vector<int> statuses;
  std::string_view rest = answers;
  while (!rest.empty()) {
    const std::string_view line = take_line(rest);
    if (!line.starts_with(kBegin)) continue;
    statuses.push_back(0);
    std::from_chars(line.data() + kBegin.size(), line.data() + line.size(), statuses.back());
  }
  if (statuses.size() == 1 && operations.size() > 1 && statuses.front() >= kFirstError) {
    constexpr std::string_view kValue = "\"value\":\"";
    const auto at = answers.find(kValue);
    std::size_t place = operations.size();
    if (at != answers.npos) {
      const std::string_view message = answers.substr(at + kValue.size());
      const auto [end, error] = std::from_chars(message.data(), message.data() + message.size(), place);
      if (error != std::errc() || end == message.data() + message.size() || *end != ':') place = operations.size();
    }
    if (place < operations.size()) operations[place].status = statuses.front();
    return;
  }
  for (std::size_t i = 0; i < std::min(statuses.size(), operations.size()); ++i) operations[i].status = statuses[i];
}

}  // namespace

void read_keys(std::string_view json, std::optional<std::string>& partition, std::optional<std::string>& row) {
  const auto document = nlohmann::json::parse(json, nullptr, false);
  if (!document.is_object()) return;
  const auto read = [&](const char* name, std::optional<std::string>& out) {
    const auto member = document.find(name);
    if (member != document.end() && member->is_string()) out = member->get<std::string>();
  };
  read("PartitionKey", partition);
  read("RowKey", row);
}

std::vector<BatchOperation> batch_operations(std::string_view body, std::string_view answers) {
  std::vector<BatchOperation> out;
  while (!body.empty()) {
    const std::string_view line = take_line(body);
    if (auto operation = operation_in(line); operation && out.size() < kMaxOperations)
      out.push_back(*std::move(operation));
    else if (line.starts_with('{') && !out.empty() && !out.back().partition)
      read_keys(line.substr(0, line.rfind('}') + 1), out.back().partition, out.back().row);
  }
  add_answers(answers, out);
  return out;
}

}  // namespace rocktable
