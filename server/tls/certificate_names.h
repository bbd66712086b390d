// The names and addresses that the certificate of --tls auto is good for.
#pragma once

#include <string>
#include <vector>

namespace rocktable {

// Why no client would accept a certificate for `name`: a sentence that begins with the name. Empty: it is an IP address, a
// DNS name, or one with `*` as its first label and at least two labels behind it, as in `*.table.core.windows.net`.
std::string why_not_a_certificate_name(const std::string& name);

// By what clients call an emulator on this machine that listens at `table_host` (empty: the default), and then `more`. Each
// is there once.
std::vector<std::string> certificate_names(const std::string& table_host,
                                           const std::vector<std::string>& more = {});

}  // namespace rocktable
