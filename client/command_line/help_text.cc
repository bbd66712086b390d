#include "client/command_line/help_text.h"

#include <algorithm>

#include "client/terminal/text_width.h"

namespace rocktable {
namespace {

constexpr std::size_t kMinTextColumns = 30;  // with fewer columns the text goes below the name
constexpr std::size_t kBelowName = 6;        // indentation of the text below a name

// The column where the text of `  NAME  text` starts: after the first gap of at least two blanks that follows
// the name. npos if the line has no such gap.
std::size_t text_column(std::string_view line) {
  const std::size_t name = line.find_first_not_of(' ');
  if (name == 0 || name == line.npos) return line.npos;
  const std::size_t gap = line.find("  ", name);
  return gap == line.npos ? gap : line.find_first_not_of(' ', gap);
}

void append_line(std::string& out, std::string_view line, std::size_t columns) {
  if (line.size() <= columns) {
    out.append(line);
    return;
  }
  const std::size_t first = std::min(line.find_first_not_of(' '), line.size());
  const std::size_t text = text_column(line);
  if (text == line.npos) {
    const std::size_t indent = first + kMinTextColumns <= columns ? first : std::min(first, kBelowName);
    out.append(indent, ' ');
    append_folded(out, line.substr(first), indent, indent, columns);
  } else if (text + kMinTextColumns <= columns) {
    out.append(line.substr(0, text));
    append_folded(out, line.substr(text), text, text, columns);
  } else {
    const std::string_view name = line.substr(0, line.find_last_not_of(' ', text - 1) + 1);
    out.append(first, ' ');
    append_folded(out, name.substr(first), first, kBelowName, columns);
    out.append("\n").append(kBelowName, ' ');
    append_folded(out, line.substr(text), kBelowName, kBelowName, columns);
  }
}

}  // namespace

std::string wrap_help(std::string_view page, int columns) {
  std::string out;
  while (!page.empty()) {
    const std::size_t end = page.find('\n');
    append_line(out, page.substr(0, end), static_cast<std::size_t>(columns));
    if (end == page.npos) break;
    out += '\n';
    page.remove_prefix(end + 1);
  }
  return out;
}

}  // namespace rocktable
