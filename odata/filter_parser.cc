// $filter text to tree: a tokenizer, and a recursive descent parser with one function per rule of the grammar
// in the header.
//
// There are two kinds of errors. A syntax error ends the parse. An error of types or names is kept and the
// parse continues, so that a syntax error further right is reported instead. The service, too, parses before
// it checks types.
#include "odata/filter_parser.h"

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

#include "base/text.h"
#include "odata/syntax_error.h"

namespace rocktable {
namespace {

// --- Tokens ------------------------------------------------------------------------------------------------

// Punctuation: known to the language, but not to filters. BadLiteral: its type cannot hold it. BadNumber: a word that
// begins like a number.
enum class TokenKind { End, Open, Close, Identifier, Literal, Punctuation, BadNumber, BadLiteral, Invalid };

struct Token {
  TokenKind kind = TokenKind::End;
  std::string_view text;
  Value literal = {};                 // of a Literal
  EdmType type = EdmType::String;     // of a BadLiteral
  std::optional<Error> refusal = {};  // of Invalid
};

bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

std::optional<unsigned char> hex_digit(char c) {
  if (is_digit(c)) return static_cast<unsigned char>(c - '0');
  if (c >= 'a' && c <= 'f') return static_cast<unsigned char>(c - 'a' + 10);
  if (c >= 'A' && c <= 'F') return static_cast<unsigned char>(c - 'A' + 10);
  return std::nullopt;
}

std::optional<Value> parse_binary(std::string_view digits) {
  if (digits.size() % 2 != 0) return std::nullopt;
  Binary binary;
  binary.bytes.reserve(digits.size() / 2);
  for (std::size_t i = 0; i < digits.size(); i += 2) {
    const auto high = hex_digit(digits[i]), low = hex_digit(digits[i + 1]);
    if (!high || !low) return std::nullopt;
    binary.bytes += static_cast<char>(*high << 4 | *low);
  }
  return binary;
}

std::string unquote(std::string_view inside) {
  std::string text;
  text.reserve(inside.size());
  for (std::size_t i = 0; i < inside.size(); ++i) {
    text += inside[i];
    if (inside[i] == '\'') ++i;  // the second of a doubled quote
  }
  return text;
}

// Returns the value of a quoted literal. `inside` is the text between its quotes.
std::optional<Value> parse_quoted(std::string_view prefix, std::string_view inside) {
  if (prefix.empty()) return unquote(inside);
  if (prefix == "datetime") return parse_date_time(inside);
  if (prefix == "guid") return parse_guid(inside);
  return parse_binary(inside);
}

// The type of the literals that begin with this word and a quote.
std::optional<EdmType> type_of_prefix(std::string_view word) {
  if (word == "datetime") return EdmType::DateTime;
  if (word == "guid") return EdmType::Guid;
  if (word == "binary" || word == "X" || word == "x") return EdmType::Binary;
  return std::nullopt;
}

std::optional<Value> parse_word_literal(std::string_view word) {
  if (word == "true") return true;
  if (word == "false") return false;
  if (word == "NaN") return std::numeric_limits<double>::quiet_NaN();
  if (word == "INF") return std::numeric_limits<double>::infinity();
  return std::nullopt;
}

// Removes the digits at the front of `text`. Returns whether there was a digit.
bool skip_digits(std::string_view& text) {
  const auto length = std::min(text.size(), text.find_first_not_of("0123456789"));
  text.remove_prefix(length);
  return length > 0;
}

bool skip_one_of(std::string_view& text, std::string_view characters) {
  if (text.empty() || characters.find(text.front()) == std::string_view::npos) return false;
  text.remove_prefix(1);
  return true;
}

template <class Number>
Token number_token(std::string_view text, EdmType type, const std::optional<Number>& number) {
  if (!number) return {.kind = TokenKind::BadLiteral, .text = text, .type = type};
  return {.kind = TokenKind::Literal, .text = text, .literal = *number};
}

// Digits without suffix are an Edm.Int32, also if it cannot hold them.
Token parse_number(std::string_view text) {
  Token bad{.kind = TokenKind::BadNumber, .text = text};
  if (text == "-INF")
    return number_token(text, EdmType::Double, std::optional(-std::numeric_limits<double>::infinity()));
  std::string_view rest = text;
  skip_one_of(rest, "-");
  if (!skip_digits(rest)) return bad;
  const bool has_fraction = skip_one_of(rest, ".");
  if (has_fraction && !skip_digits(rest)) return bad;
  const bool has_exponent = skip_one_of(rest, "eE");
  if (has_exponent) {
    skip_one_of(rest, "+-");
    if (!skip_digits(rest)) return bad;
  }
  const std::string_view number = text.substr(0, text.size() - rest.size());
  const bool has_suffix = skip_one_of(rest, "dDfFmM");
  const bool is_double = has_fraction || has_exponent || has_suffix;
  const bool is_long = !is_double && skip_one_of(rest, "lL");
  if (!rest.empty()) return bad;
  if (is_double) return number_token(text, EdmType::Double, parse_double(number));
  if (is_long) return number_token(text, EdmType::Int64, parse_int64(number));
  return number_token(text, EdmType::Int32, parse_int32(number));
}

// Splits the text into tokens. White space is needed only between tokens that would otherwise join: `(a eq
// 1)and(b eq 2)` needs none.
class Tokenizer {
 public:
  explicit Tokenizer(std::string_view text) : text_(text) {}

  Token next() {
    while (position_ < text_.size() && is_space(text_[position_])) ++position_;
    begin_ = position_;
    if (position_ == text_.size()) return {};
    const char c = text_[position_];
    if (c == '(') return single(TokenKind::Open);
    if (c == ')') return single(TokenKind::Close);
    if (c == '\'') return quoted({}, EdmType::String);
    if (c == '-' || is_digit(c)) return number();
    if (begins_identifier(c)) return word();
    if (begins_token(c)) return single(TokenKind::Punctuation);
    return invalid(invalid_character(text_, position_));
  }

  // Returns the offset of the first byte after the last token.
  std::size_t position() const { return position_; }

 private:
  std::string_view taken() const { return text_.substr(begin_, position_ - begin_); }

  Token single(TokenKind kind) {
    ++position_;
    return {.kind = kind, .text = taken()};
  }

  Token invalid(Error refusal) const {
    return {.kind = TokenKind::Invalid, .text = taken(), .refusal = std::move(refusal)};
  }

  Token literal(std::optional<Value> value, EdmType type) const {
    if (!value) return {.kind = TokenKind::BadLiteral, .text = taken(), .type = type};
    return {.kind = TokenKind::Literal, .text = taken(), .literal = std::move(*value)};
  }

  Token quoted(std::string_view prefix, EdmType type) {
    const std::size_t inside = ++position_;
    while (position_ < text_.size()) {
      const bool quote = text_[position_++] == '\'';
      if (!quote) continue;
      if (position_ == text_.size() || text_[position_] != '\'')
        return literal(parse_quoted(prefix, text_.substr(inside, position_ - 1 - inside)), type);
      ++position_;  // the second of a doubled quote
    }
    return invalid(prefix.empty() ? unterminated_string(text_) : unterminated_literal(text_));
  }

  Token number() {
    const auto continues = [this] {
      const char c = text_[position_], previous = text_[position_ - 1];
      const bool sign_of_exponent = (c == '+' || c == '-') && (previous == 'e' || previous == 'E');
      return is_digit(c) || begins_identifier(c) || c == '.' || sign_of_exponent;
    };
    ++position_;
    while (position_ < text_.size() && continues()) ++position_;
    return parse_number(taken());
  }

  Token word() {
    while (position_ < text_.size() && (begins_identifier(text_[position_]) || is_digit(text_[position_]))) ++position_;
    const auto type = type_of_prefix(taken());
    if (type && position_ < text_.size() && text_[position_] == '\'') return quoted(taken(), *type);
    if (auto value = parse_word_literal(taken())) return literal(std::move(value), EdmType::Boolean);
    return {.kind = TokenKind::Identifier, .text = taken()};
  }

  std::string_view text_;
  std::size_t begin_ = 0;  // of the last token
  std::size_t position_ = 0;
};

// --- Types -------------------------------------------------------------------------------------------------

struct PropertyName {
  std::string name;
};

// The result of a rule: a condition, or an operand that may still become one.
using Expression = std::variant<Filter, PropertyName, Value>;

// The type of an expression. nullopt for an open property: only the stored value has a type.
using Type = std::optional<EdmType>;

Type declared_type(std::string_view property, FilterTarget target) {
  if (target == FilterTarget::Tables) return EdmType::String;
  if (property == "PartitionKey" || property == "RowKey") return EdmType::String;
  if (property == "Timestamp") return EdmType::DateTime;
  return std::nullopt;
}

bool is_number(EdmType type) { return type == EdmType::Int32 || type == EdmType::Int64 || type == EdmType::Double; }

bool are_comparable(Type left, Type right) {
  return !left || !right || *left == *right || (is_number(*left) && is_number(*right));
}

// An open property in place of a condition counts as Boolean.
bool is_boolean(Type type) { return type.value_or(EdmType::Boolean) == EdmType::Boolean; }

std::string type_name(Type type) { return std::string(to_string(type.value_or(EdmType::Boolean))); }

Error incompatible_types(Type left, Type right, std::string_view kind) {
  return {ErrorCode::InvalidInput, "A binary operator with incompatible types was detected. Found operand types '" +
                                       type_name(left) + "' and '" + type_name(right) + "' for operator kind '" +
                                       std::string(kind) + "'."};
}

Error incompatible_type_of_not(Type operand) {
  return {ErrorCode::InvalidInput, "A unary operator with an incompatible type was detected. Found operand type '" +
                                       type_name(operand) + "' for operator kind 'Not'."};
}

// --- Operators ---------------------------------------------------------------------------------------------

struct OperatorRow {
  std::string_view keyword, kind;  // as written; as error messages name it
  ComparisonOperator op, mirrored;
};

constexpr OperatorRow kComparisons[] = {
    {"eq", "Equal", ComparisonOperator::Eq, ComparisonOperator::Eq},
    {"ne", "NotEqual", ComparisonOperator::Ne, ComparisonOperator::Ne},
    {"gt", "GreaterThan", ComparisonOperator::Gt, ComparisonOperator::Lt},
    {"ge", "GreaterThanOrEqual", ComparisonOperator::Ge, ComparisonOperator::Le},
    {"lt", "LessThan", ComparisonOperator::Lt, ComparisonOperator::Gt},
    {"le", "LessThanOrEqual", ComparisonOperator::Le, ComparisonOperator::Ge},
};

const OperatorRow* find_comparison(std::string_view keyword) {
  for (const OperatorRow& row : kComparisons)
    if (row.keyword == keyword) return &row;
  return nullptr;
}

bool is_arithmetic(std::string_view word) {
  return word == "add" || word == "sub" || word == "mul" || word == "div" || word == "mod";
}

// Compares two literals. Numbers are compared in the wider type, which `compare` expects on the left.
bool compare_literals(const Value& left, const OperatorRow& row, const Value& right) {
  if (is_number(type_of(left)) && type_of(left) < type_of(right))
    return compare(view_of(right), row.mirrored, view_of(left));
  return compare(view_of(left), row.op, view_of(right));
}

// Appends a term to `terms`, the terms of a node of kind Node. If the term is a node of the same kind,
// appends its terms instead.
template <class Node>
void append_terms(std::vector<Filter>& terms, Filter filter) {
  if (Node* same = std::get_if<Node>(&filter.node)) {
    if (terms.empty()) {
      terms = std::move(same->terms);
    } else {
      std::move(same->terms.begin(), same->terms.end(), std::back_inserter(terms));
    }
  } else {
    terms.push_back(std::move(filter));
  }
}

// --- Grammar -----------------------------------------------------------------------------------------------

// Each rule pushes its result onto a stack (read_) and returns whether the parse continues. Results on the
// call stack would need kilobytes per nesting level. Functions that build expressions and errors are not
// inlined into the recursive ones for the same reason.
class Parser {
 public:
  Parser(std::string_view text, FilterTarget target) : text_(text), target_(target), tokenizer_(text) { advance(); }

  Result<Filter> parse() {
    const bool complete = parse_or() && (token_.kind == TokenKind::End || unexpected());
    if (!complete || refusal_) return *std::move(refusal_);
    Expression filter = pop();
    if (!is_boolean(type(filter)))
      return Error(ErrorCode::InvalidInput, "The $filter expression must evaluate to a single boolean value.");
    return to_condition(std::move(filter));
  }

 private:
  bool parse_or() { return parse_chain<Or>("or", "Or", &Parser::parse_and); }
  bool parse_and() { return parse_chain<And>("and", "And", &Parser::parse_unary); }

  template <class Node>
  bool parse_chain(std::string_view keyword, std::string_view kind, bool (Parser::*parse_term)()) {
    if (!(this->*parse_term)()) return false;
    while (accept(keyword)) {
      if (!(this->*parse_term)()) return false;
      join<Node>(kind);
    }
    return true;
  }

  bool parse_unary() {
    if (!is_word("not")) return parse_comparison();
    if (depth_ == kMaxFilterDepth) return syntax_error();
    advance();
    ++depth_;
    const bool parsed = parse_unary();
    --depth_;
    return parsed && negate();
  }

  bool parse_comparison() {
    if (!parse_primary()) return false;
    const OperatorRow* row = token_.kind == TokenKind::Identifier ? find_comparison(token_.text) : nullptr;
    if (row == nullptr) return true;
    advance();
    return parse_primary() && compare_operands(*row);
  }

  bool parse_primary() {
    if (token_.kind != TokenKind::Open) return parse_operand();
    if (depth_ == kMaxFilterDepth) return syntax_error();
    advance();
    ++depth_;
    const bool parsed = parse_or();
    --depth_;
    if (!parsed) return false;
    if (token_.kind != TokenKind::Close) return unexpected();
    advance();
    return true;
  }

  [[gnu::noinline]] bool parse_operand() {
    if (token_.kind == TokenKind::Literal) {
      push(std::move(token_.literal));
      advance();
      return true;
    }
    if (token_.kind == TokenKind::BadLiteral) return end_with(unrecognized_literal(text_, token_.text, token_.type));
    if (token_.kind != TokenKind::Identifier || token_.text == "not") return syntax_error();
    const std::string_view name = token_.text;
    advance();
    if (token_.kind == TokenKind::Open) return end_with(ErrorCode::NotImplemented);  // a function call
    if (name == "null") return refuse(ErrorCode::InvalidInput);
    if (target_ == FilterTarget::Tables && name != "TableName") return refuse(ErrorCode::InvalidInput);
    return push(PropertyName{std::string(name)});
  }

  // Pops two conditions, pushes their conjunction or disjunction.
  template <class Node>
  [[gnu::noinline]] bool join(std::string_view kind) {
    Expression right = pop(), left = pop();
    if (!is_boolean(type(left)) || !is_boolean(type(right)))
      return refuse(incompatible_types(type(left), type(right), kind));
    Node node;
    append_terms<Node>(node.terms, to_condition(std::move(left)));
    append_terms<Node>(node.terms, to_condition(std::move(right)));
    return push(Filter{std::move(node)});
  }

  [[gnu::noinline]] bool negate() {
    Expression operand = pop();
    if (!is_boolean(type(operand))) return refuse(incompatible_type_of_not(type(operand)));
    return push(Filter{Not{std::make_unique<Filter>(to_condition(std::move(operand)))}});
  }

  // Pops two operands, pushes their comparison.
  [[gnu::noinline]] bool compare_operands(const OperatorRow& row) {
    Expression right = pop(), left = pop();
    if (!are_comparable(type(left), type(right))) return refuse(incompatible_types(type(left), type(right), row.kind));
    auto* left_literal = std::get_if<Value>(&left);
    auto* right_literal = std::get_if<Value>(&right);
    auto* left_name = std::get_if<PropertyName>(&left);
    auto* right_name = std::get_if<PropertyName>(&right);
    if (left_name && right_literal)
      return push(comparison(std::move(left_name->name), row.op, std::move(*right_literal)));
    if (left_literal && right_name)
      return push(comparison(std::move(right_name->name), row.mirrored, std::move(*left_literal)));
    if (left_literal && right_literal)
      return push(Filter{Constant{compare_literals(*left_literal, row, *right_literal)}});
    return refuse(ErrorCode::NotImplemented);  // two properties, or a condition as an operand
  }

  Filter comparison(std::string name, ComparisonOperator op, Value literal) const {
    auto* text = std::get_if<std::string>(&literal);
    if (target_ == FilterTarget::Tables && text != nullptr) *text = to_lower_ascii(*text);
    return Filter{Comparison{std::move(name), op, std::move(literal)}};
  }

  Type type(const Expression& expression) const {
    if (const auto* literal = std::get_if<Value>(&expression)) return type_of(*literal);
    if (const auto* property = std::get_if<PropertyName>(&expression)) return declared_type(property->name, target_);
    return EdmType::Boolean;
  }

  // `expression` must satisfy is_boolean.
  static Filter to_condition(Expression expression) {
    if (auto* property = std::get_if<PropertyName>(&expression))
      return Filter{BooleanProperty{std::move(property->name)}};
    if (const auto* literal = std::get_if<Value>(&expression)) return Filter{Constant{std::get<bool>(*literal)}};
    return std::get<Filter>(std::move(expression));
  }

  [[gnu::noinline]] bool push(Expression expression) {
    results_.push_back(std::move(expression));
    return true;
  }

  Expression pop() {
    Expression last = std::move(results_.back());
    results_.pop_back();
    return last;
  }

  [[gnu::noinline]] void advance() { token_ = tokenizer_.next(); }

  bool is_word(std::string_view word) const { return token_.kind == TokenKind::Identifier && token_.text == word; }

  bool accept(std::string_view word) {
    if (!is_word(word)) return false;
    advance();
    return true;
  }

  // Keeps the first error that does not end the parse. Pushes a constant in place of the result: a constant
  // is valid as operand and as condition.
  bool refuse(Error error) {
    if (!refusal_) refusal_ = std::move(error);
    return push(Value(false));
  }

  bool end_with(Error error) {
    refusal_ = std::move(error);
    return false;
  }

  // The service reports the end of the token that it did not expect.
  [[gnu::noinline]] bool syntax_error() {
    if (token_.kind == TokenKind::Invalid) return end_with(*std::move(token_.refusal));
    return end_with(syntax_error_at(text_, tokenizer_.position()));
  }

  // Call this if the token is neither an operator nor the expected end.
  [[gnu::noinline]] bool unexpected() {
    if (token_.kind == TokenKind::Identifier && is_arithmetic(token_.text)) return end_with(ErrorCode::NotImplemented);
    return syntax_error();
  }

  std::string_view text_;
  FilterTarget target_;
  Tokenizer tokenizer_;
  Token token_;
  std::vector<Expression> results_;  // results that no rule has popped yet
  int depth_ = 0;
  std::optional<Error> refusal_;
};

}  // namespace

Result<Filter> parse_filter(std::string_view text, FilterTarget target) {
  if (!is_utf8(text)) return Error(ErrorCode::InvalidInput);
  return Parser(text, target).parse();
}

}  // namespace rocktable
