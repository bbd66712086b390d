// The authority that signs the certificates of this machine's emulators: made once, kept in a folder, and trusted
// by the clients that its user tells to.
//
//   ca.pem      its certificate: what clients are to trust
//   ca-key.pem  its private key, for its owner alone
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "server/tls/openssl.h"

namespace rocktable {

class CertificateAuthority {
 public:
  // Reads the authority in `folder`; where there is none it is made, and the folder as well. Each file is there
  // whole or not at all, and what other processes do at the same time leads to the same authority for all. An
  // authority that is damaged or has expired is left as it is. Throws TlsError.
  explicit CertificateAuthority(const std::filesystem::path& folder);

  // What clients have to trust.
  const std::filesystem::path& file() const { return file_; }

  // A new key, with a certificate for `hosts`, names and addresses, from an hour ago for 397 days: for longer no
  // client trusts one. Throws TlsError.
  Identity issue(const std::vector<std::string>& hosts) const;

 private:
  std::filesystem::path file_;
  CertificatePtr certificate_;
  KeyPtr key_;
};

}  // namespace rocktable
