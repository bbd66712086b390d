// Makes child programs trust an additional certificate authority, by environment variables that name
// certificate files. Most of these files replace the defaults of a program, so each also contains these
// defaults.
//
//   SSL_CERT_FILE         OpenSSL, and so Python's ssl, Ruby, PHP; Go; .NET
//   CURL_CA_BUNDLE        curl; in some versions SSL_CERT_DIR hides SSL_CERT_FILE
//   REQUESTS_CA_BUNDLE    Python's requests
//   NODE_EXTRA_CA_CERTS   Node, in addition to its built-in list
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace rocktable {

// The existing trust of this system and user.
struct TrustSources {
  std::function<std::string(const char*)> variable;  // its value in the environment; empty: not set
  std::vector<std::filesystem::path> system;         // files or folders: the first that exists counts

  // The environment of this process, and the usual places of distributions.
  static TrustSources of_this_process();
};

struct Trust {
  std::vector<std::pair<std::string, std::string>> variables;  // names and values
  std::vector<std::string> warnings;  // one for each source that is missing or has no certificate
};

// Writes PEM files to `folder`, which must exist, and returns the variables for them. The files include the
// certificates that the variables name already: a file, or for REQUESTS_CA_BUNDLE and SSL_CERT_DIR a folder.
// Copies only certificates, each once. Throws std::runtime_error if a file cannot be written, or if the file
// `authority` cannot be read.
Trust add_trusted_authority(const std::filesystem::path& authority, const std::filesystem::path& folder,
                            const TrustSources& sources);

}  // namespace rocktable
