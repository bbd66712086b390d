#include "server/logs/resource_log.h"

#include <simdjson.h>

#include <array>
#include <charconv>
#include <cstddef>

#include "base/text.h"

namespace rocktable {
namespace {

namespace dom = simdjson::dom;

constexpr std::size_t kMaxNumber = 32;  // characters
constexpr std::size_t kMaxNumbers = static_cast<std::size_t>(LogField::None);

// Texts of the numbers of a record.
class NumberTexts {
 public:
  void clear() { used_ = 0; }

  template <class Number>
  std::string_view text_of(Number number) {
    if (used_ == texts_.size()) return {};
    auto& text = texts_[used_++];
    const auto [end, error] = std::to_chars(text.data(), text.data() + text.size(), number);
    return {text.data(), error == std::errc() ? static_cast<std::size_t>(end - text.data()) : 0};
  }

 private:
  std::array<std::array<char, kMaxNumber>, kMaxNumbers> texts_{};
  std::size_t used_ = 0;
};

std::string_view text_of_element(dom::element element, NumberTexts& numbers) {
  switch (element.type()) {
    case dom::element_type::STRING:
      return element.get_string().value_unsafe();
    case dom::element_type::INT64:
      return numbers.text_of(element.get_int64().value_unsafe());
    case dom::element_type::UINT64:
      return numbers.text_of(element.get_uint64().value_unsafe());
    case dom::element_type::DOUBLE:
      return numbers.text_of(element.get_double().value_unsafe());
    default:
      return {};
  }
}

void read_object(dom::object object, LogEntry& out, NumberTexts& numbers) {
  for (const auto& [name, element] : object)
    if (const LogField field = log_field_named(name); field != LogField::None)
      out.set(field, text_of_element(element, numbers));
}

}  // namespace

struct ResourceLogReader::Memory {
  dom::parser parser;
  NumberTexts numbers;
};

ResourceLogReader::ResourceLogReader() : memory_(std::make_unique<Memory>()) {}
ResourceLogReader::~ResourceLogReader() = default;

std::string ResourceLogReader::read(std::string_view record, LogEntry& out) {
  out.clear();
  memory_->numbers.clear();
  dom::object object;
  if (memory_->parser.parse(record.data(), record.size()).get(object) != simdjson::SUCCESS) return "it is not JSON";
  read_object(object, out, memory_->numbers);
  dom::object properties;
  if (object["properties"].get(properties) == simdjson::SUCCESS) read_object(properties, out, memory_->numbers);
  if (!out[LogField::OperationName].empty()) return {};
  if (object["tables"].is_array())
    return "it is an answer of the query API; `az monitor log-analytics query` prints rows that can be read";
  return "it has no operationName";
}

}  // namespace rocktable
