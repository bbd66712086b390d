// Divides JSON text into the texts of its records, line by line, in memory of bounded size.
//
//   text := { record | "[" | "]" | "," | `{"records": [` | "}" }
//
// That is: one record in each line, as resource logs have it in a storage account; an array of records, as `az monitor
// log-analytics query` prints it over many lines; the messages of an event hub (`{"records": [...]}`); and several of
// these one after the other.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

namespace rocktable {

class JsonRecords {
 public:
  static constexpr std::size_t kMaxRecord = 1 << 20;  // bytes; a record has about one KB

  struct Sink {
    std::function<void(std::string_view record)> record;  // balanced braces; not checked otherwise
    std::function<void(const char* why)> broken;
  };

  explicit JsonRecords(Sink sink) : sink_(std::move(sink)) {}

  // The next line, without its line feed.
  void add_line(std::string_view line);
  // At the end of the file.
  void finish();

  // Whether the next line belongs to the same text.
  bool is_within_text() const { return depth_ > 0 || lists_ > 0 || wrappers_ > 0; }

 private:
  void give_up(const char* why);
  // Reads a character outside of records. Returns false if it does not belong there.
  bool read_between(char c);
  void open_bracket(char bracket, std::string_view line_so_far);

  Sink sink_;
  std::string record_;         // its lines before this one
  std::size_t depth_ = 0;      // of braces and brackets within the record; 0: between records
  std::size_t lists_ = 0;      // open arrays around records
  std::size_t wrappers_ = 0;   // open objects around records: `{"records": [`
  bool is_in_string_ = false;  // of the record
};

}  // namespace rocktable
