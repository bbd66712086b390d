#include "client/report/render/markdown_text.h"

namespace rocktable {
namespace {

// `&` and `<` could start markup, which GitHub does not remove completely. The others are punctuation of Markdown.
std::string escaped_prose(std::string_view text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '@':
        out += "@<!-- -->";
        break;  // or GitHub notifies whoever has that name
      case '\\':
      case '`':
      case '*':
      case '_':
      case '[':
      case ']':
      case '#':
      case '|':
      case '~':
        out.append("\\").append(1, c);
        break;
      default:
        out += c;
    }
  }
  return out;
}

// The characters that a code span cannot show, or that end it or the cell.
bool fits_code_span(std::string_view text) {
  return text.find_first_of("`|") == text.npos && !text.empty() && text.front() != ' ' && text.back() != ' ';
}

std::string escaped_code(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (std::string_view("&<>`|*_[]\\~@#").find(c) != std::string_view::npos) {
      out += "&#" + std::to_string(static_cast<int>(c)) + ";";
    } else {
      out += c;
    }
  }
  return out;
}

}  // namespace

std::string markdown_prose(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const auto begin = text.find('`');
    const auto end = begin == text.npos ? text.npos : text.find('`', begin + 1);
    if (end == text.npos || end == begin + 1) return out + escaped_prose(text);
    out += escaped_prose(text.substr(0, begin)) + markdown_code(text.substr(begin + 1, end - begin - 1));
    text.remove_prefix(end + 1);
  }
  return out;
}

std::string markdown_code(std::string_view text) {
  return fits_code_span(text) ? "`" + std::string(text) + "`" : "<code>" + escaped_code(text) + "</code>";
}

}  // namespace rocktable
