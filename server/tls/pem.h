// Certificates and keys as PEM text.
#pragma once

#include <string>

#include "server/tls/openssl.h"

namespace rocktable {

// All functions throw TlsError.

// The key, not encrypted.
std::string pem_of(EVP_PKEY* key);
std::string pem_of(X509* certificate);

// The certificate, followed by its chain.
std::string certificates_pem(const Identity& identity);

}  // namespace rocktable
