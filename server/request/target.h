// Parses the request target: account, base of all links, resource, query.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "odata/error.h"

namespace rocktable {

// The parameters after `?`, decoded once (`+` is a space). The case of names does not matter.
class QueryParameters {
 public:
  // Errors: InvalidInput, if a value is not percent-encoded UTF-8.
  static Result<QueryParameters> parse(std::string_view raw_query);

  // The first value of that name. Returns nullopt if the name is missing, an empty text if it has no value.
  std::optional<std::string_view> get(std::string_view name) const;
  int count(std::string_view name) const;
  const std::vector<std::pair<std::string, std::string>>& all() const { return parameters_; }

 private:
  std::vector<std::pair<std::string, std::string>> parameters_;
};

struct Target {
  std::string account;     // without `-secondary`
  bool secondary = false;  // the client addressed the secondary location
  std::string base_url;    // without slash at the end, as the client used it: http://127.0.0.1:10002/devstoreaccount1
  std::string_view resource;  // raw path after the account: `/Tables('mytable')`; `/` for the service
  std::string_view query;     // raw, without `?`
};

// Parses a raw target. In host style (`account.table.localhost:10002`) the account is the host up to its
// first dot, in path style the path's first segment. Host style is assumed if the host is a name with a dot
// (not an address, nor host.docker.internal), unless `product_style` is false. An absolute target
// (`http://host/path`) names its host itself.
//
// Errors: HostInformationNotPresent (no host), InvalidUri (no account, or a target that is not a path).
Result<Target> parse_target(std::string_view raw_target, std::string_view host, bool secure, bool product_style);

// The host of a Host header without its port. Keeps the brackets of an IPv6 address.
std::string_view without_port(std::string_view host);

// Whether a segment of the path is `.` or `..`, percent-encoded or not. Readers of URLs take such segments away, and
// those before them. A backslash counts as a slash, as in browsers.
bool has_dot_segment(std::string_view raw_target);

// Path and query of an absolute or relative URL, as parts of a batch write it. Removes scheme and host, and adds a
// leading slash.
std::string path_of_url(std::string_view url);

}  // namespace rocktable
