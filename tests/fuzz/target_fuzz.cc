// Any bytes as the target of a request, after a first line with its host: refused, or parts that are views of
// the target, whose links lead to the same resource. Also any bytes as query parameters.
#include "base/uri.h"
#include "odata/protocol/query_string.h"
#include "odata/protocol/shared_key.h"
#include "server/request/target.h"
#include "tests/fuzz/require.h"
#include "tests/fuzz/targets.h"

namespace rocktable {
namespace {

bool same_place(const Target& a, const Target& b) {
  return a.account == b.account && a.secondary == b.secondary && a.base_url == b.base_url && a.resource == b.resource &&
         a.query == b.query;
}

void check_target(const Target& target, std::string_view raw, std::string_view host, bool secure, bool product_style) {
  require(!target.account.empty() && target.account.find('/') == target.account.npos, "an account that is none");
  require(canonicalized_resource(target.account, raw).starts_with("/" + target.account + "/"),
          "a resource of somebody else is signed");
  require(target.resource.empty() || target.resource.starts_with('/'), "a resource that is no path");
  require(target.resource == "/" || lies_within(target.resource, raw), "a resource from elsewhere");
  require(lies_within(target.query, raw), "a query from elsewhere");
  require(target.base_url.starts_with(secure ? "https://" : "http://"), "links without a scheme");
  require(target.base_url.size() <= 16 + host.size() + raw.size(), "links without end");

  // Follows a link to this resource.
  const std::string link = target.base_url + std::string(target.resource) + "?" + std::string(target.query);
  const auto again = parse_target(link, "other", secure, product_style);
  require(again.has_value() && same_place(*again, target), "a link leads elsewhere");
}

void check_parameters(std::string_view query) {
  std::size_t count = 0;
  for_each_query_parameter(query, [&](std::string_view name, std::string_view value) {
    require(lies_within(name, query) && lies_within(value, query), "a parameter from elsewhere");
    ++count;
  });
  const auto parameters = QueryParameters::parse(query);
  if (!parameters) return require_refusal(parameters.error(), query.size());
  require(parameters->all().size() == count, "a parameter is lost");
  std::string written;
  for (const auto& [name, value] : parameters->all()) {
    require(parameters->get(to_lower_ascii(name)).has_value(), "a name with regard to case");
    written += (written.empty() ? "" : "&") + percent_encode(name) + "=" + percent_encode(value);
  }
  const auto again = QueryParameters::parse(written);
  require(again && again->all() == parameters->all(), "parameters change when written and read");
}

}  // namespace

void fuzz_target(std::string_view input) {
  const auto line_end = std::min(input.find('\n'), input.size());
  const std::string_view host = input.substr(0, line_end), raw = input.substr(std::min(line_end + 1, input.size()));
  for (const bool secure : {false, true})
    for (const bool product_style : {false, true}) {
      if (const auto target = parse_target(raw, host, secure, product_style)) {
        check_target(*target, raw, host, secure, product_style);
      } else {
        require_refusal(target.error(), input.size());
      }
    }
  require(lies_within(without_port(host), host), "a host from elsewhere");
  const std::string path = path_of_url(raw);
  require(path.starts_with('/') && path_of_url(path) == path, "a path that is none");
  check_parameters(raw.substr(std::min(raw.find('?'), raw.size())).substr(raw.find('?') == raw.npos ? 0 : 1));
}

}  // namespace rocktable
