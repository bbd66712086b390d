#include "client/system_authorities.h"

#include <openssl/x509.h>

namespace rocktable {

std::vector<std::filesystem::path> system_authorities() {
  return {"/etc/ssl/certs/ca-certificates.crt",                 // Debian, Ubuntu, Arch, Gentoo, Alpine
          "/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem",  // Fedora, Red Hat
          "/etc/pki/tls/certs/ca-bundle.crt",                   // the same, older ones
          "/etc/ssl/ca-bundle.pem",                             // openSUSE
          "/etc/ssl/cert.pem",                                  // Alpine
          X509_get_default_cert_file(),
          X509_get_default_cert_dir()};
}

}  // namespace rocktable
