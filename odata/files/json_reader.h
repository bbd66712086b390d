// Reads JSON documents that people write. Each error names the file, line, column and path of the value.
#pragma once

#include <cstdint>
#include <exception>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "odata/files/file_error.h"
#include "odata/files/located_json.h"

namespace rocktable {

class JsonReader;

class JsonDocument {
 public:
  // Skips a byte order mark. `file` is the name in errors. `text` and this must outlive all readers. Throws FileError
  // if the text is not JSON.
  JsonDocument(std::string_view text, std::string file);

  JsonReader root() const;

 private:
  friend class JsonReader;

  // `at` is a view of the text.
  FilePlace place_of(std::string_view at) const;

  // Throws FileError.
  [[noreturn]] void refuse(std::string_view at, const std::string& sentence) const;

  std::string_view text_;
  std::string file_;
};

// A value of the document. Its functions check and convert it. All throw FileError, with a path such as
// `steps[2].insert.table`.
class JsonReader {
 public:
  // Throws if the value is an object in which a name occurs twice.
  JsonReader(std::string_view value, std::string path, const JsonDocument& document);

  [[noreturn]] void refuse(const std::string& sentence) const { refuse_at(value_, sentence); }

  JsonKind kind() const { return json_kind(value_); }
  void must_be(JsonKind kind) const;
  // Requires an object without other members.
  void allow_only(std::initializer_list<std::string_view> names) const;

  bool has(std::string_view name) const { return members_.find(name) != nullptr; }
  JsonReader member(std::string_view name) const;
  std::vector<JsonReader> items() const;

  std::string text() const;
  std::string text_or(std::string_view name, const std::string& otherwise) const;
  bool flag() const;
  // The member's value; false if it is missing.
  bool flag(std::string_view name) const { return has(name) && member(name).flag(); }
  std::int64_t integer(std::int64_t min, std::int64_t max) const;
  double number(double min, double max) const;

  std::string_view value() const { return value_; }
  FilePlace place() const;
  const std::vector<JsonMember>& members() const { return members_.list(); }

  // Calls `read`, and adds file and path to what it throws.
  template <class Read>
  auto with_place(const Read& read) const {
    try {
      return read();
    } catch (const FileError&) {
      throw;
    } catch (const std::exception& error) {
      refuse(error.what());
    }
  }

 private:
  [[noreturn]] void refuse_at(std::string_view at, const std::string& sentence) const;
  JsonReader at(const JsonMember& member) const;

  std::string_view value_;
  JsonMembers members_;
  std::string path_;
  const JsonDocument& document_;
};

}  // namespace rocktable
