// The names and addresses in the certificate of --tls auto.
#pragma once

#include <string>
#include <vector>

namespace rocktable {

// Returns why clients would reject a certificate for `name`: a sentence that starts with the name. Returns an
// empty string for an IP address, a DNS name, or a DNS name whose first label is `*`, followed by at least
// two labels, as in `*.table.core.windows.net`.
std::string certificate_name_error(const std::string& name);

// The names and addresses of an emulator on this machine that listens at `table_host` (empty: the default),
// followed by `more`, without duplicates.
std::vector<std::string> certificate_names(const std::string& table_host, const std::vector<std::string>& more = {});

}  // namespace rocktable
