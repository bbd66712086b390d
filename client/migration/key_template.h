// Templates that compute keys from the properties of an entity, such as `lastname_{LastName:lower}` and
// `{Created:invertedTicks}_{Id}`:
//
//   template := (text | '{{' | '}}' | '{' property (':' form)? '}')*
//   form     := 'lower' | 'upper'       of a string
//             | 'pad' digits            of a non-negative integer: leading zeros up to this many digits
//             | 'ticks'                 of a time: 100 ns since the year 1, 19 digits, in chronological order
//             | 'invertedTicks'         of a time: 19 digits, in reverse chronological order
//             | 'date'                  of a time: 2026-11-21
//
// `property` is any property of the entity, including PartitionKey, RowKey and Timestamp. Without a form, a
// value is written as in JSON (a time as 2026-11-21T08:30:00Z). `lower` and `upper` change only ASCII
// letters.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "client/migration/missing_rule.h"
#include "odata/entity.h"

namespace rocktable::migration {

// what() is a sentence: what is wrong with the template, or with the entity that it is applied to.
class KeyTemplateError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// The entity lacks a property, which has no default value.
class MissingProperty : public KeyTemplateError {
 public:
  explicit MissingProperty(const std::string& property)
      : KeyTemplateError("the entity has no property " + property), property_(property) {}

  const std::string& property() const { return property_; }

 private:
  std::string property_;
};

class KeyTemplate {
 public:
  // Throws KeyTemplateError.
  static KeyTemplate parse(std::string_view text);

  // Throws MissingProperty, and KeyTemplateError if a property has the wrong type for its form, or if the
  // result is not a valid key.
  std::string apply(const Entity& entity, const MissingRule& rule = {}) const;

  // Throws KeyTemplateError if the value does not suit the form of a placeholder of that property.
  void check_default(const Property& value) const;
  // Whether a placeholder names the property.
  bool uses(std::string_view property) const;

  const std::string& text() const { return text_; }

 private:
  enum class Form { Plain, Lower, Upper, Pad, Ticks, InvertedTicks, Date };
  struct Part {
    std::string literal;   // before the property
    std::string property;  // empty: only the literal
    Form form = Form::Plain;
    std::size_t width = 0;
  };

  static Part parse_placeholder(std::string_view text);
  static std::string text_of(const Part& part, const ValueView& value);

  std::string text_;
  std::vector<Part> parts_;
};

}  // namespace rocktable::migration
