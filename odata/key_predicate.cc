// Reads and writes key predicates.
#include "odata/key_predicate.h"

#include <cstddef>
#include <optional>

#include "base/uri.h"
#include "odata/syntax_error.h"

namespace rocktable {
namespace {

void append_key(std::string& out, std::string_view key) {
  out += '\'';
  for (;;) {
    const std::size_t quote = key.find('\'');
    append_encoded_for_link(out, key.substr(0, quote));
    if (quote == key.npos) break;
    out += "''";
    key.remove_prefix(quote + 1);
  }
  out += '\'';
}

// Reads a key predicate from its front.
class KeyScanner {
 public:
  explicit KeyScanner(std::string_view text) : rest_(text) {}

  bool at_end() {
    skip_blanks();
    return rest_.empty();
  }

  bool take(std::string_view token) {
    skip_blanks();
    if (!rest_.starts_with(token)) return false;
    rest_.remove_prefix(token.size());
    return true;
  }

  // Reads 'text' with quotes doubled, and appends it. Two adjacent literals are therefore one literal, as the
  // grammar requires.
  bool literal(std::string& value) {
    if (!take("'")) return false;
    for (;;) {
      const std::size_t quote = rest_.find('\'');
      if (quote == std::string_view::npos) return false;
      value += rest_.substr(0, quote);
      rest_.remove_prefix(quote + 1);
      if (!rest_.starts_with('\'')) return true;
      value += '\'';
      rest_.remove_prefix(1);
    }
  }

 private:
  void skip_blanks() {
    while (rest_.starts_with(' ') || rest_.starts_with('\t')) rest_.remove_prefix(1);
  }

  std::string_view rest_;
};

// Reads one `Name='value'` into the key of that name. Returns false for bad syntax and for a key that occurs
// twice.
bool scan_key(KeyScanner& scanner, std::optional<std::string>& partition_key, std::optional<std::string>& row_key) {
  std::optional<std::string>* key = nullptr;
  if (scanner.take("PartitionKey")) {
    key = &partition_key;
  } else if (scanner.take("RowKey")) {
    key = &row_key;
  }
  if (key == nullptr || key->has_value() || !scanner.take("=")) return false;
  return scanner.literal(key->emplace());
}

}  // namespace

void append_key_predicate(std::string& out, std::string_view partition_key, std::string_view row_key) {
  begin_key_predicate(out, partition_key);
  end_key_predicate(out, row_key);
}

void begin_key_predicate(std::string& out, std::string_view partition_key) {
  out += "(PartitionKey=";
  append_key(out, partition_key);
  out += ",RowKey=";
}

void end_key_predicate(std::string& out, std::string_view row_key) {
  append_key(out, row_key);
  out += ')';
}

Result<EntityKey> parse_key_predicate(std::string_view text) {
  const auto bad_syntax = [] { return Error(ErrorCode::InvalidInput, "Bad Request - Error in query syntax."); };
  KeyScanner scanner(text);
  std::optional<std::string> partition_key, row_key;
  const bool complete = scan_key(scanner, partition_key, row_key) && scanner.take(",") &&
                        scan_key(scanner, partition_key, row_key) && scanner.at_end();
  if (!complete) return find_invalid_token(text).value_or(bad_syntax());
  for (const std::string_view key : {std::string_view(*partition_key), std::string_view(*row_key)}) {
    if (key.find('/') != key.npos || key.find('\\') != key.npos) return bad_syntax();
  }
  for (const std::string_view key : {std::string_view(*partition_key), std::string_view(*row_key)}) {
    if (auto legal = check_key_characters(key); !legal) return legal.error();
  }
  return EntityKey{std::move(*partition_key), std::move(*row_key)};
}

}  // namespace rocktable
