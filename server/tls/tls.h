// How the server speaks TLS: the identity that it shows, read from files, and the rules of its connections.
#pragma once

#include <boost/asio/ssl/context.hpp>
#include <string>

#include "server/tls/openssl.h"

namespace rocktable {

// All throw TlsError.

// A whole file, of at most a mebibyte. `what` names it in the complaint: `the certificate`.
std::string read_small_file(const std::string& what, const std::string& file);

// The first certificate of `text`, the contents of `file`, and those behind it.
Identity parse_certificates(const std::string& text, const std::string& file);

// A private key, which must not be encrypted: nobody is asked for a passphrase.
KeyPtr parse_key(const std::string& text, const std::string& file);

// A certificate, with the intermediate ones behind it, and its key.
Identity read_pem(const std::string& certificate_file, const std::string& key_file);

// A PKCS#12 file with certificate, key and maybe intermediate certificates, of old tools as well.
Identity read_pfx(const std::string& file, const std::string& password);

// TLS 1.2 and 1.3, ciphers with forward secrecy, HTTP/1.1. `source` names the identity in a complaint: its file.
boost::asio::ssl::context tls_context(const Identity& identity, const std::string& source);

}  // namespace rocktable
