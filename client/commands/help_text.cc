#include "client/commands/help_text.h"

#include <algorithm>

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

// Appends `text` in lines of at most `columns`. The first line continues at column `used`; the others are
// indented by `indent` blanks.
void append_folded(std::string& out, std::string_view text, std::size_t used, std::size_t indent,
                   std::size_t columns) {
  std::size_t column = used;
  bool begins = true;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    const std::string_view word = text.substr(0, end);
    if (!begins && column + 1 + word.size() > columns) {
      out.append("\n").append(indent, ' ');
      column = indent;
      begins = true;
    }
    if (!begins) out += ' ';
    out.append(word);
    column += word.size() + (begins ? 0 : 1);
    begins = false;
    text.remove_prefix(std::min(end + 1, text.size()));
  }
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
    out.append(name).append("\n").append(kBelowName, ' ');
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
