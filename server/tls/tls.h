// TLS of the server: reads its identity (certificate and key) from files, and builds the TLS context.
#pragma once

#include <boost/asio/ssl/context.hpp>
#include <string>

#include "server/tls/openssl.h"

namespace rocktable {

// All functions throw TlsError.

// Reads a file of at most 1 MiB. `what` names it in error messages: `the certificate`.
std::string read_small_file(const std::string& what, const std::string& file);

// Parses `text`, the contents of `file`: the first certificate, and the chain of those after it.
Identity parse_certificates(const std::string& text, const std::string& file);

// Parses a private key. It must not be encrypted: there is no prompt for a passphrase.
KeyPtr parse_key(const std::string& text, const std::string& file);

// Reads a PEM certificate, followed by its intermediate certificates, and its key.
Identity read_pem(const std::string& certificate_file, const std::string& key_file);

// Reads a PKCS#12 file with certificate, key and optional intermediate certificates. Supports the legacy
// algorithms of old tools.
Identity read_pfx(const std::string& file, const std::string& password);

// Returns a context for TLS 1.2 and 1.3, ciphers with forward secrecy, and HTTP/1.1. `source` names the
// identity in error messages: its file.
boost::asio::ssl::context tls_context(const Identity& identity, const std::string& source);

}  // namespace rocktable
