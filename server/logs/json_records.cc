#include "server/logs/json_records.h"

#include <algorithm>

namespace rocktable {
namespace {

bool is_json_space(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }

// The next quote, backslash (in a string) or bracket (elsewhere) at or behind a place; npos if there is none. Faster
// than find_first_of(), which calls memchr() for each character.
std::size_t find_special(std::string_view text, std::size_t place, bool is_in_string) {
  const auto is_special = [&](char c) {
    return c == '"' || (is_in_string ? c == '\\' : c == '{' || c == '}' || c == '[' || c == ']');
  };
  const auto* const found = std::find_if(text.begin() + place, text.end(), is_special);
  return found == text.end() ? text.npos : static_cast<std::size_t>(found - text.begin());
}

// Whether this is the beginning of the messages of an event hub.
bool is_wrapper(std::string_view before, std::string_view text) {
  constexpr std::string_view kWrapper = R"({"records":[)";
  constexpr std::size_t kMaxSpace = 100;
  if (before.size() + text.size() > kWrapper.size() + kMaxSpace) return false;
  std::string joined(before);
  joined += text;
  std::erase_if(joined, is_json_space);
  return joined == kWrapper;
}

}  // namespace

void JsonRecords::add_line(std::string_view line) {
  if (depth_ > 0 && (is_in_string_ || line.starts_with("{\""))) {
    give_up("a record ends in the middle");
    if (!line.starts_with('{')) return;
  }
  std::size_t begin = 0;  // of the record within this line
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (is_in_string_) {
      i = find_special(line, i, true);
      if (i == line.npos) break;
      if (line[i] == '\\') {
        ++i;
      } else {
        is_in_string_ = false;
      }
      continue;
    }
    if (depth_ == 0) {
      if (line[i] == '{') {
        depth_ = 1;
        begin = i;
      } else if (!read_between(line[i])) {
        return give_up("it is not JSON");
      }
      continue;
    }
    i = find_special(line, i, false);
    if (i == line.npos) break;
    if (line[i] == '"') {
      is_in_string_ = true;
    } else if (line[i] == '{' || line[i] == '[') {
      open_bracket(line[i], line.substr(begin, i + 1 - begin));
    } else if (--depth_ == 0) {
      const std::string_view last = line.substr(begin, i + 1 - begin);
      if (!record_.empty()) record_ += last;
      sink_.record(record_.empty() ? last : record_);
      record_.clear();
      begin = i + 1;
    }
  }
  if (depth_ == 0) return;
  record_.append(line.substr(begin)).append("\n");
  if (record_.size() > kMaxRecord) give_up("a record is longer than 1 MiB");
}

bool JsonRecords::read_between(char c) {
  const auto close = [](std::size_t& count) {
    const bool is_open = count > 0;
    if (is_open) --count;
    return is_open;
  };
  if (c == '[') ++lists_;
  if (c == ']') return close(lists_);
  if (c == '}') return close(wrappers_);
  return c == '[' || c == ',' || is_json_space(c);
}

void JsonRecords::open_bracket(char bracket, std::string_view line_so_far) {
  if (bracket == '{' || depth_ > 1 || !is_wrapper(record_, line_so_far)) {
    ++depth_;
    return;
  }
  depth_ = 0;
  record_.clear();
  ++wrappers_;
  ++lists_;
}

void JsonRecords::finish() {
  if (depth_ > 0) give_up("the last record ends in the middle");
  lists_ = wrappers_ = 0;
}

void JsonRecords::give_up(const char* why) {
  record_.clear();
  depth_ = 0;
  is_in_string_ = false;
  sink_.broken(why);
}

}  // namespace rocktable
