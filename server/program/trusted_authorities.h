// How the programs that a command runs are told to trust one more authority: by variables of the environment that name files
// of certificates. Most of these files take the place of what a program trusts without them, so each holds that as well.
//
//   SSL_CERT_FILE         OpenSSL, and so Python's ssl, Ruby, PHP; Go; .NET
//   CURL_CA_BUNDLE        curl, for which SSL_CERT_DIR hides SSL_CERT_FILE in some versions
//   REQUESTS_CA_BUNDLE    Python's requests
//   NODE_EXTRA_CA_CERTS   Node, beside the list that it has built in
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace rocktable {

// What is trusted so far.
struct TrustSources {
  std::function<std::string(const char*)> variable;  // its value in the environment; empty: not set
  std::vector<std::filesystem::path> system;  // files, or folders of them: the first that is there counts

  // The environment of this process, and where distributions keep their list.
  static TrustSources of_this_process();
};

struct Trust {
  std::vector<std::pair<std::string, std::string>> variables;  // names and values
  std::vector<std::string> warnings;  // a sentence for each source that is not there, or holds no certificate
};

// Writes the files, in PEM form, to `folder`, which is there. What a variable names already is kept: a file, or for
// REQUESTS_CA_BUNDLE and SSL_CERT_DIR a folder. Only certificates are copied, each once. Throws std::runtime_error where a
// file cannot be written, or `authority`, a file, cannot be read.
Trust trust_also(const std::filesystem::path& authority, const std::filesystem::path& folder,
                 const TrustSources& sources);

}  // namespace rocktable
