#include "server/program/exec/trusted_authorities.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <map>
#include <optional>
#include <set>
#include <stdexcept>
#include <string_view>

#include "base/atomic_file.h"
#include "base/input_file.h"
#include "client/system_authorities.h"

namespace rocktable {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kMaxFileBytes = 16 << 20;

// --- Certificates in PEM form ------------------------------------------------------------------------------

// A list of certificates without duplicates, in order of insertion.
class Certificates {
 public:
  // Adds the certificates in `text`. Ignores other content, for example private keys. Returns the number of
  // certificates in `text`.
  std::size_t add(std::string_view text) {
    constexpr std::string_view kBegin = "-----BEGIN ", kEnd = "-----END ", kDashes = "-----";
    std::size_t count = 0;
    for (auto begin = text.find(kBegin); begin != std::string_view::npos; begin = text.find(kBegin)) {
      text.remove_prefix(begin);
      const auto label = text.substr(kBegin.size(), text.find(kDashes, kBegin.size()) - kBegin.size());
      const auto end = text.find(kEnd);
      if (end == std::string_view::npos) break;
      const auto length = text.find(kDashes, end + kEnd.size());
      if (length == std::string_view::npos) break;
      if (label.ends_with("CERTIFICATE")) {  // also TRUSTED CERTIFICATE and X509 CERTIFICATE
        insert(std::string(text.substr(0, length + kDashes.size())));
        ++count;
      }
      text.remove_prefix(length + kDashes.size());
    }
    return count;
  }

  void add(const Certificates& others) {
    for (const auto& one : others.in_order_) insert(one);
  }

  bool empty() const { return in_order_.empty(); }

  std::string text() const {
    std::string out;
    for (const auto& one : in_order_) out.append(one).push_back('\n');
    return out;
  }

 private:
  void insert(const std::string& one) {
    if (known_.insert(one).second) in_order_.push_back(one);
  }

  std::vector<std::string> in_order_;
  std::set<std::string> known_;
};

// Throws std::runtime_error.
std::string contents_of(const fs::path& file) {
  InputFile in(file.string());
  if (in.size() > kMaxFileBytes) throw std::runtime_error(file.string() + " cannot be read: it is too large");
  std::string out(in.size(), '\0');
  in.read(out.data(), static_cast<std::streamsize>(out.size()));
  out.resize(static_cast<std::size_t>(std::max<std::streamsize>(in.gcount(), 0)));
  return out;
}

Certificates certificates_in_file(const fs::path& file) {
  Certificates out;
  if (out.add(contents_of(file)) == 0) throw std::runtime_error(file.string() + " contains no certificate in PEM form");
  return out;
}

// Ignores files without certificates, as programs do that search a folder.
Certificates certificates_in_folder(const fs::path& folder) {
  std::set<fs::path> files;
  std::error_code error;
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error))
    files.insert(at->path());
  Certificates out;
  for (const auto& file : files) {
    try {
      out.add(contents_of(file));
    } catch (const std::runtime_error&) {
      continue;
    }
  }
  return out;
}

// --- Existing trust --------------------------------------------------------------------------------

class ExistingTrust {
 public:
  ExistingTrust(const TrustSources& sources, std::vector<std::string>& warnings)
      : sources_(sources), warnings_(warnings) {}

  std::string value(const char* variable) const { return sources_.variable(variable); }

  // The certificates in the file or folder that `variable` names.
  Certificates named_by(const char* variable) {
    const std::string path = value(variable);
    try {
      std::error_code ignored;
      if (fs::is_directory(path, ignored)) return certificates_in_folder(path);
      return certificates_in_file(path);
    } catch (const std::runtime_error& error) {
      warn(std::string(variable) + ": " + error.what() + "; only rocktable's authority is trusted instead");
      return {};
    }
  }

  // The certificates that OpenSSL trusts: one file, and folders.
  const Certificates& by_default() {
    if (!by_default_) by_default_ = read_default();
    return *by_default_;
  }

 private:
  Certificates read_default() {
    Certificates out = value("SSL_CERT_FILE").empty() ? of_system() : named_by("SSL_CERT_FILE");
    const std::string folders = value("SSL_CERT_DIR");
    for (std::size_t begin = 0; begin < folders.size();) {
      const std::size_t end = std::min(folders.find(':', begin), folders.size());
      out.add(certificates_in_folder(folders.substr(begin, end - begin)));
      begin = end + 1;
    }
    return out;
  }

  Certificates of_system() {
    for (const auto& path : sources_.system) {
      std::error_code ignored;
      Certificates out;
      if (fs::is_directory(path, ignored)) {
        out = certificates_in_folder(path);
      } else if (why_not_a_regular_file(path.string()).empty()) {
        out.add(contents_of(path));
      }
      if (!out.empty()) return out;
    }
    warn(
        "this system has no list of certificate authorities (on Debian: install the package "
        "ca-certificates); "
        "programs will trust only rocktable's authority");
    return {};
  }

  void warn(const std::string& sentence) {
    if (std::find(warnings_.begin(), warnings_.end(), sentence) == warnings_.end()) warnings_.push_back(sentence);
  }

  const TrustSources& sources_;
  std::vector<std::string>& warnings_;
  std::optional<Certificates> by_default_;
};

// Writes certificate bundles to files. Bundles with the same content share a file.
class BundleFolder {
 public:
  explicit BundleFolder(fs::path folder) : folder_(std::move(folder)) {}

  std::string path_of(const Certificates& bundle) {
    std::string text = bundle.text();
    if (const auto known = written_.find(text); known != written_.end()) return known->second;
    const fs::path path = folder_ / ("trusted-" + std::to_string(written_.size() + 1) + ".pem");
    AtomicFile file(path, FileRights::ReadableByAll);  // the folder restricts access
    file.write(text);
    if (!file.replace()) throw std::runtime_error("cannot write " + path.string() + ": " + std::strerror(errno));
    return written_.emplace(std::move(text), path.string()).first->second;
  }

 private:
  fs::path folder_;
  std::map<std::string, std::string> written_;  // contents to path
};

}  // namespace

TrustSources TrustSources::of_this_process() {
  return {[](const char* name) {
            const char* value = std::getenv(name);
            return std::string(value != nullptr ? value : "");
          },
          system_authorities()};
}

Trust add_trusted_authority(const fs::path& authority, const fs::path& folder, const TrustSources& sources) {
  Trust out;
  const Certificates ours = certificates_in_file(authority);
  ExistingTrust trusted(sources, out.warnings);
  BundleFolder bundles(folder);
  const auto add = [&](const char* name, Certificates before) {
    before.add(ours);
    out.variables.emplace_back(name, bundles.path_of(before));
  };
  // The certificates of the first variable that is set; otherwise those that OpenSSL trusts.
  const auto first_of = [&](std::initializer_list<const char*> variables) {
    for (const char* variable : variables)
      if (!trusted.value(variable).empty()) return trusted.named_by(variable);
    return trusted.by_default();
  };
  add("SSL_CERT_FILE", trusted.by_default());
  add("CURL_CA_BUNDLE", first_of({"CURL_CA_BUNDLE"}));
  add("REQUESTS_CA_BUNDLE", first_of({"REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE"}));
  const char* node = "NODE_EXTRA_CA_CERTS";
  add(node, trusted.value(node).empty() ? Certificates() : trusted.named_by(node));
  return out;
}

}  // namespace rocktable
