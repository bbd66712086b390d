// Command lines and environments as the system wants them: one text each.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace rocktable {

// What CreateProcess gets: a program, and its command line.
struct WindowsCommand {
  std::wstring program;
  std::wstring line;
};

// The file of this path, or the first one that an ending of PATHEXT makes of it; nullopt if there is none. A path
// without an ending is not a program itself.
std::optional<std::filesystem::path> find_program_at(const std::filesystem::path& path);

// The folders in the text of PATH.
std::vector<std::filesystem::path> split_folders(const std::wstring& text);

// Finds a program as shells do: by its path, or in the folders of PATH, with one of the endings of PATHEXT if it has
// none. Batch files (.cmd, .bat; those of npm are some) run by the system's shell, with arguments that it leaves
// unchanged. `argv` ends with a null pointer. Returns nullopt if there is no such program. Throws std::runtime_error if
// a batch file cannot get an argument.
std::optional<WindowsCommand> find_command_line(const char* const* argv);

// The variables of this process and those given, changed as given; names are the same whatever their case. Names and
// values are UTF-8. Returns `NAME=VALUE`, each with a null character behind it, and one more at the end.
std::wstring environment_with(const std::vector<std::pair<std::string, std::optional<std::string>>>& variables);

}  // namespace rocktable
