// A rule of any texts (lines: methods, origins, headers allowed, headers exposed, age), and a browser's
// request of any texts (origin, method, headers). The request is accepted only if the rule allows it, and the
// response headers match the rule.
#include "server/handlers/cors.h"
#include "tests/fuzz/require.h"
#include "tests/fuzz/targets.h"

namespace rocktable {
namespace {

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '<' || c == '&') {
      out += c == '<' ? "&lt;" : "&amp;";
    } else {
      out += c;
    }
  }
  return out;
}

std::string document_of(const std::vector<std::string>& lines) {
  constexpr const char* kNames[] = {"AllowedMethods", "AllowedOrigins", "AllowedHeaders", "ExposedHeaders",
                                    "MaxAgeInSeconds"};
  std::string out = "<StorageServiceProperties><Cors><CorsRule>";
  for (std::size_t i = 0; i < std::size(kNames); ++i)
    out += std::string("<") + kNames[i] + ">" + escaped(lines[i]) + "</" + kNames[i] + ">";
  return out + "</CorsRule></Cors></StorageServiceProperties>";
}

bool contains(const std::vector<std::string>& entries, std::string_view entry) {
  return std::find(entries.begin(), entries.end(), entry) != entries.end();
}

// Implements the rule from the documentation, independent of the code under test: a star stands for the text
// of a subdomain.
bool may_come_from(const CorsRule& rule, const std::string& origin) {
  return contains(rule.origins, "*") || contains(rule.origins, origin) ||
         std::any_of(rule.origins.begin(), rule.origins.end(), [&](const std::string& one) {
           const auto star = one.find("*.");
           if (star == one.npos || origin.compare(0, star, one, 0, star) != 0) return false;
           const std::string domain = one.substr(star + 1);
           const auto at = origin.rfind(domain);
           return at != origin.npos && at + domain.size() == origin.size() && at > star;
         });
}

std::string value_of(const Response& response, const std::string& name) {
  for (const std::string& line : lines_of(response.fields))
    if (line.starts_with(name + ": ")) return line.substr(name.size() + 2, line.size() - name.size() - 3);
  return {};
}

void check_allowed(const Response& response, const CorsRule& rule, const std::string& origin) {
  require(may_come_from(rule, origin), "an origin that the rule does not name is let in");
  const bool any = contains(rule.origins, "*");
  require(value_of(response, "Access-Control-Allow-Origin") == (any ? "*" : origin), "another origin is let in");
  require(value_of(response, "Access-Control-Allow-Credentials").empty() == any, "every origin may send credentials");
  require(std::count(response.fields.begin(), response.fields.end(), '\n') <= 16, "more lines than headers");
}

void check_preflight(const CorsRule& rule, const std::vector<std::string>& lines) {
  Headers headers;
  headers.add("Origin", lines[5]);
  headers.add("Access-Control-Request-Method", lines[6]);
  headers.add("Access-Control-Request-Headers", lines[7]);
  try {
    const Response response = preflight({}, {rule}, headers);
    check_allowed(response, rule, lines[5]);
    require(contains(rule.methods, lines[6]), "a method that the rule does not name is let in");
    require(value_of(response, "Access-Control-Max-Age") == std::to_string(rule.max_age_seconds), "another age");
  } catch (const ServiceException& refusal) {
    require_refusal(refusal.error(), 0);
    require(lines[5].empty() || !contains(rule.methods, lines[6]) || !trim(lines[7]).empty() ||
                !may_come_from(rule, lines[5]),
            "what the rule names is refused");
  }
}

void check_answer(const CorsRule& rule, const std::string& origin, const std::string& method) {
  Response response;
  response.add("ETag", "x");
  add_cors_fields(response, {rule}, method, origin);
  const std::string allowed = value_of(response, "Access-Control-Allow-Origin");
  if (allowed.empty() || (origin.empty() && allowed == "*")) return;
  check_allowed(response, rule, origin);
  require(contains(rule.methods, method), "a method that the rule does not name is answered");
}

}  // namespace

void fuzz_cors(std::string_view input) {
  std::vector<std::string> lines = lines_of(input);
  lines.resize(8);
  // The HTTP parser refuses such a value.
  if (std::any_of(lines.begin() + 5, lines.end(), holds_control_character)) return;
  const auto properties = parse_service_properties(document_of(lines), {});
  if (!properties) return require_refusal(properties.error(), input.size());
  const CorsRule& rule = properties->cors.at(0);
  check_preflight(rule, lines);
  check_answer(rule, lines[5], lines[6]);
}

}  // namespace rocktable
