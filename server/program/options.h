// The command line of the server, also for commands that start one.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "client/command_line.h"
#include "server/program/configuration.h"

namespace rocktable {

// As which program of the peer this one starts: with its lines on standard output, and its ports.
enum class Compatibility { None, Azurite, AzuriteTable };

struct Options {
  Compatibility compatibility = Compatibility::None;
  std::string blob_host;  // for Compatibility::Azurite, as the next ones
  std::uint16_t blob_port = 10000;
  std::string queue_host;
  std::uint16_t queue_port = 10001;
  std::string table_host;  // empty: 127.0.0.1 and [::1]
  std::uint16_t table_port = 10002;
  std::string port_way_out;     // what to do where one is taken; empty: take 0
  int keep_alive_timeout = 60;  // seconds, as the others
  int head_timeout = 30;
  int body_timeout = 60;
  int answer_timeout = 60;
  int max_connections = 20'000;
  int max_request_memory = 64;  // MiB
  int max_answer_memory = 256;  // MiB
  std::string location = ".";
  bool in_memory = false;
  bool sync = false;
  std::string seed;          // a file or folder; empty: none
  std::string seed_account;  // empty: the development account
  bool silent = false;
  std::string debug_file;
  std::string trace_file;  // empty: none
  int trace_limit = 64;    // MiB
  std::string ready_file;
  bool path_style_only = false;
  std::string certificate_file;  // PEM where there is a key file, else PFX; empty: no HTTPS, unless tls_auto
  std::string private_key_file;  // PEM
  std::string certificate_password;    // of the PFX
  bool tls_auto = false;               // HTTPS with a certificate of a local authority
  std::vector<std::string> tls_names;  // that this certificate is good for, too
  bool bearer_tokens = false;          // tokens are accepted, without a look at their signature
  std::string accounts_file;
  bool any_account = false;   // accounts are there once they are named, with the well-known key
  std::string control_token;  // empty: none
  bool explain_auth = false;  // refusals of access say why
  bool strict_api_version = false;
  bool insight_headers = false;
  std::vector<std::string> warnings;  // to be told before the start
  Origins origins;                    // of the options that the command line does not give
};

// What the command line asks for: a server with these options, or to end at once. Secrets are read where they are
// (client/secret.h); where one cannot be, or the file of --config, std::runtime_error is thrown.
struct Invocation {
  Options options;
  std::optional<Ending> ending;
  std::optional<std::vector<std::string>> help =
      {};  // wanted for these words, which may be none: in place of a server
};

// Of the command line, the variables ROCKTABLE_... and --config, in this order. A program called azurite or azurite-table is
// compatible with what it is called, unless --compat says otherwise; either word on the command line counts as --compat,
// given last.
Invocation parse_command_line(int argc, const char* const* argv);

// The server's flags as part of a command line. Of a flag that is given twice the last one counts.
class ServerFlags {
 public:
  // Whether the variables ROCKTABLE_... count. Those of `rocktable exec` do not: it starts the same service wherever it runs.
  enum class Variables { Ignored, Read };

  // Adds them to `app`, which writes to this while it parses.
  explicit ServerFlags(CLI::App& app, Options defaults = {});
  ServerFlags(const ServerFlags&) = delete;
  ServerFlags& operator=(const ServerFlags&) = delete;

  // As --compat, given last on the command line.
  void set_compatible(const std::string& name) { compatible_.with = name; }

  // What they and the file of --config say, once `app` has parsed; or why they do not go together.
  Invocation read(Variables variables = Variables::Ignored);

 private:
  // HTTPS and what needs it, as written: which options belong together is for check() to say.
  struct Tls {
    std::optional<std::string> mode, certificate, key, password, oauth;
    std::vector<std::string> names;

    // A sentence where they do not fit; else they are in `options`.
    std::optional<std::string> check(Options& options) const;
  };

  // --compat and the ports of the other services, which without it are not looked at.
  struct Compatible {
    std::optional<std::string> with;
    std::optional<std::string> blob_host, blob_port, queue_host, queue_port;

    // As Tls::check().
    std::optional<std::string> check(Options& options) const;
  };

  // Options that are accepted so that command lines for other emulators work, and then forgotten.
  struct Ignored {
    std::string text;
    bool flag = false;
  };

  void take_settings(Variables variables);
  std::optional<std::string> check();

  void add_options();
  void add_limits();
  void add_compatible();
  void add_ignored();

  CLI::App& app_;
  Options options_;
  Tls tls_;
  Compatible compatible_;
  Ignored ignored_;
  std::string config_file_;
};

}  // namespace rocktable
