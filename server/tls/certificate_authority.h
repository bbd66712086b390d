// The local certificate authority that signs the certificates of --tls auto. It is created once and kept in a
// folder. The user configures clients to trust it.
//
//   ca.pem      certificate, for clients to trust
//   ca-key.pem  private key, readable only by its owner
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "server/tls/openssl.h"

namespace rocktable {

class CertificateAuthority {
 public:
  // Reads the authority in `folder`. Creates it, and the folder, if there is none. Files are written
  // atomically, and concurrent processes end up with the same authority. A damaged or expired authority is an
  // error and is left unchanged. Throws TlsError.
  explicit CertificateAuthority(const std::filesystem::path& folder);

  // The certificate file that clients must trust.
  const std::filesystem::path& file() const { return file_; }

  // Creates a key, and a certificate for `hosts` (names and addresses). It is valid for 397 days from an hour
  // ago: clients reject longer validity. Throws TlsError.
  Identity issue(const std::vector<std::string>& hosts) const;
  // The same with a certificate that has expired an hour ago.
  Identity issue_expired(const std::vector<std::string>& hosts) const;

 private:
  Identity issue(const std::vector<std::string>& hosts, int days) const;

  std::filesystem::path file_;
  CertificatePtr certificate_;
  KeyPtr key_;
};

}  // namespace rocktable
