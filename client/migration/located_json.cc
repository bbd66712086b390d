#include "client/migration/located_json.h"

#include <iterator>
#include <nlohmann/json.hpp>
#include <optional>

namespace rocktable::migration {
namespace {

constexpr std::size_t kMaxDepth = 64;

// Converts offsets to lines and columns. Increasing offsets cost one pass over the document.
class Places {
 public:
  explicit Places(std::string_view document) : document_(document) {}

  FilePlace at(std::size_t offset) {
    if (offset < line_start_) line_ = 1, line_start_ = 0;
    for (auto end = document_.find('\n', line_start_); end < offset;
         end = document_.find('\n', line_start_)) {
      line_start_ = end + 1;
      ++line_;
    }
    return {line_, offset - line_start_ + 1};
  }

 private:
  std::string_view document_;
  std::size_t line_ = 1;
  std::size_t line_start_ = 0;
};

// Counts the characters that the parser has read.
class Cursor {
 public:
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = const char&;

  Cursor(const char* at, std::size_t* read) : at_(at), read_(read) {}
  reference operator*() const { return *at_; }
  Cursor& operator++() {
    ++at_;
    ++*read_;
    return *this;
  }
  bool operator==(const Cursor& other) const { return at_ == other.at_; }
  bool operator!=(const Cursor& other) const { return at_ != other.at_; }

 private:
  const char* at_;
  std::size_t* read_;
};

// Builds the tree from the parser's events. At each event the parser has read the token, and one more
// character if it is a number, so a token's start is searched after the end of the previous token.
class Builder {
 public:
  Builder(std::string_view document, std::string_view file, const std::size_t& read)
      : document_(document), file_(file), read_(read), places_(document) {}

  LocatedJson take() { return std::move(root_); }

  bool null() { return scalar(LocatedJson::Kind::Null, 4); }
  bool boolean(bool value) {
    scalar(LocatedJson::Kind::Boolean, value ? 4 : 5);
    last_->boolean = value;
    return true;
  }
  bool number_integer(std::int64_t value) {
    number(LocatedJson::Kind::Integer);
    last_->integer = value;
    return true;
  }
  bool number_unsigned(std::uint64_t value) {
    const bool fits = value <= static_cast<std::uint64_t>(INT64_MAX);
    number(fits ? LocatedJson::Kind::Integer : LocatedJson::Kind::Number);
    if (fits) last_->integer = static_cast<std::int64_t>(value);
    return true;
  }
  bool number_float(double, const std::string&) { return number(LocatedJson::Kind::Number); }
  bool string(std::string& value) {
    scalar(LocatedJson::Kind::Text, read_ - token_start());
    last_->text = std::move(value);
    return true;
  }
  bool binary(std::vector<std::uint8_t>&) { return false; }  // never occurs in JSON

  bool start_object(std::size_t) { return open(LocatedJson::Kind::Object); }
  bool start_array(std::size_t) { return open(LocatedJson::Kind::Array); }
  bool end_object() { return close(); }
  bool end_array() { return close(); }

  bool key(std::string& name) {
    const std::size_t start = token_start();
    if (open_.back()->find(name) != nullptr)
      throw FileError(file_, places_.at(start), "the member \"" + name + "\" occurs twice");
    key_ = std::move(name);
    end_ = read_;
    return true;
  }

  bool parse_error(std::size_t position, const std::string&, const nlohmann::json::exception& error) {
    std::string_view sentence = error.what();
    // "[json.exception.parse_error.101] parse error at line 1, column 2: syntax error while ..."
    if (const auto colon = sentence.find(": "); colon != sentence.npos) sentence.remove_prefix(colon + 2);
    throw FileError(file_, places_.at(position == 0 ? 0 : position - 1), sentence);
  }

 private:
  // Start of the current token: after the previous one and the separators.
  std::size_t token_start() const {
    const auto start = document_.find_first_not_of(" \t\r\n:,", end_);
    return std::min(start, document_.size());
  }

  LocatedJson& place(LocatedJson::Kind kind) {
    LocatedJson* where = &root_;
    if (!open_.empty()) {
      if (open_.back()->is_object()) {
        open_.back()->members.push_back({std::move(*key_), LocatedJson{}});
        where = &open_.back()->members.back().value;
        key_.reset();
      } else {
        where = &open_.back()->items.emplace_back();
      }
    }
    where->kind = kind;
    where->place = places_.at(token_start());
    last_ = where;
    return *where;
  }

  bool scalar(LocatedJson::Kind kind, std::size_t length) {
    const std::size_t start = token_start();
    place(kind).source = document_.substr(start, length);
    end_ = start + length;
    return true;
  }

  bool number(LocatedJson::Kind kind) {
    const std::size_t start = token_start();
    return scalar(kind, document_.find_first_not_of("0123456789+-.eE", start) - start);
  }

  bool open(LocatedJson::Kind kind) {
    if (open_.size() == kMaxDepth)
      throw FileError(file_, places_.at(token_start()), "values are nested too deeply");
    LocatedJson& value = place(kind);
    value.source = document_.substr(token_start());
    end_ = token_start() + 1;
    open_.push_back(&value);
    return true;
  }

  bool close() {
    LocatedJson& value = *open_.back();
    open_.pop_back();
    end_ = token_start() + 1;
    value.source =
        value.source.substr(0, static_cast<std::size_t>(document_.data() + end_ - value.source.data()));
    return true;
  }

  const std::string_view document_;
  const std::string_view file_;
  const std::size_t& read_;
  Places places_;
  std::size_t end_ = 0;  // of the previous token
  LocatedJson root_;
  LocatedJson* last_ = nullptr;
  std::vector<LocatedJson*> open_;  // pointers stay valid: only the innermost container grows
  std::optional<std::string> key_;
};

}  // namespace

const LocatedJson* LocatedJson::find(std::string_view name) const {
  for (const auto& [member, value] : members)
    if (member == name) return &value;
  return nullptr;
}

std::string_view to_string(LocatedJson::Kind kind) {
  switch (kind) {
    case LocatedJson::Kind::Null:
      return "null";
    case LocatedJson::Kind::Boolean:
      return "true or false";
    case LocatedJson::Kind::Integer:
      return "an integer";
    case LocatedJson::Kind::Number:
      return "a number";
    case LocatedJson::Kind::Text:
      return "text";
    case LocatedJson::Kind::Array:
      return "an array";
    case LocatedJson::Kind::Object:
      return "an object";
  }
  return "";
}

LocatedJson parse_located_json(std::string_view document, std::string_view file) {
  constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
  std::size_t read = 0;
  if (document.starts_with(kByteOrderMark)) document.remove_prefix(kByteOrderMark.size());
  Builder builder(document, file, read);
  nlohmann::json::sax_parse(Cursor(document.data(), &read), Cursor(document.data() + document.size(), &read),
                            &builder);
  return builder.take();
}

}  // namespace rocktable::migration
