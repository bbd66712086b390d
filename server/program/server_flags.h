// The server's flags, also for commands that start one.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "client/commands/command_line.h"
#include "server/program/options.h"

namespace rocktable {

// What the command line asks for: a server with these options, or to end at once. Secrets are read where they are
// (client/secret.h); where one cannot be, or the file of --config, std::runtime_error is thrown.
struct Invocation {
  Options options;
  std::optional<Ending> ending;
  std::optional<std::vector<std::string>> help =
      {};  // wanted for these words, which may be none: in place of a server
};

// `azurite`, `azurite-table`; nothing for another name.
std::optional<Compatibility> parse_compatibility(std::string_view name);

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
