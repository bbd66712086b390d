"""Completions for bash, zsh, fish and PowerShell. Each completes commands, subcommands, options, and the values of options."""
from documents.description import with_subcommands

MORE_WORDS = ("help", "version", "azurite", "azurite-table")  # of the server's command line
AFTER_DASHES = "exec"  # this command takes another command line after `--`


def names_of(options):
    return [name for option in options for name in option.names]


def paths(server, commands):
    """Yields (words before the one to complete, what can follow, options, words without names)."""
    top = [command.words[0] for command in commands]
    yield "", [*top, *MORE_WORDS], server.options, ()
    yield "help", top, (), ()
    for command in with_subcommands(commands):
        following = [one.words[-1] for one in command.subcommands]
        yield " ".join(command.words), following, command.options, command.arguments


# --- bash ---------------------------------------------------------------------------------------------


def bash_values(options):
    """The case branches that complete the values of options."""
    lines = []
    for option in options:
        if option.names and option.value:
            names = "|".join(option.names)
            action = "words=; files" if option.is_path else f'words="{" ".join(option.choices)}"'
            lines.append(f"        {names}) {action}; value=1 ;;\n")
    return "".join(lines)


def bash(server, commands):
    branches = ""
    for words, following, options, arguments in paths(server, commands):
        files = any(argument.is_path for argument in arguments)
        branches += (
            f'    "{words}")\n'
            f'      words="{" ".join([*following, *names_of(options)])}"\n'
            + (f'      case $previous in\n{bash_values(options)}      esac\n' if any(o.value for o in options) else "")
            + ("      [ -n \"$value\" ] || [[ $current == -* ]] || files\n" if files else "")
            + "      ;;\n"
        )
    nested = [command.words[0] for command in commands if command.subcommands] + ["help"]
    return f"""# Completion of rocktable for bash

_rocktable() {{
  local current=${{COMP_WORDS[COMP_CWORD]}} previous=${{COMP_WORDS[COMP_CWORD - 1]}} command= words= value= i
  local names=" {" ".join(command.words[0] for command in commands)} help "
  COMPREPLY=()
  files() {{ mapfile -t COMPREPLY < <(compgen -f -- "$current"); compopt -o filenames 2>/dev/null; }}
  if [ "$COMP_CWORD" -gt 1 ] && [[ $names == *" ${{COMP_WORDS[1]}} "* ]]; then
    command=${{COMP_WORDS[1]}}
    if [ "$command" = {AFTER_DASHES} ]; then
      for ((i = 2; i < COMP_CWORD; ++i)); do
        [ "${{COMP_WORDS[i]}}" = -- ] || continue
        if declare -F _command_offset >/dev/null; then _command_offset $((i + 1)); fi
        return
      done
    fi
    if [[ " {" ".join(nested)} " == *" $command "* ]] && [ "$COMP_CWORD" -gt 2 ]; then
      command="$command ${{COMP_WORDS[2]}}"
    fi
  fi
  case $command in
{branches}  esac
  [ ${{#COMPREPLY[@]}} -gt 0 ] || mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current")
}}
complete -F _rocktable rocktable
"""


# --- zsh ----------------------------------------------------------------------------------------------


def zsh_text(text):
    """In a specification of _arguments, which is between single quotes."""
    for character in "\\[]:":
        text = text.replace(character, "\\" + character)
    return text.replace("'", "'\\''")


def zsh_action(option):
    if option.choices:
        return f"({' '.join(option.choices)})"
    return "_files" if option.is_path else " "


def zsh_option(option):
    value = f":{zsh_text(option.value)}:{zsh_action(option)}" if option.value else ""
    names = option.names[0] if len(option.names) == 1 else "{" + ",".join(option.names) + "}"
    quoted = f"'{names}[" if len(option.names) == 1 else f"{names}'["
    return f"{quoted}{zsh_text(option.text)}]{value}'"


def zsh_arguments(options, *more):
    return " \\\n        ".join(["_arguments", *map(zsh_option, options), *more])


def zsh_words(commands):
    return " ".join(f"'{command.words[-1]}:{zsh_text(command.summary)}'" for command in commands)


def zsh_command(command):
    if command.subcommands:
        branches = "".join(
            f"        ({one.words[-1]}) {zsh_command(one)} ;;\n" for one in command.subcommands
        )
        return (
            f"if (( CURRENT == 2 )); then\n"
            f"        local -a actions=({zsh_words(command.subcommands)}); _describe action actions\n"
            f"      else\n        local action=$words[2]; shift words; (( --CURRENT ))\n"
            f"        case $action in\n{branches}        esac\n      fi"
        )
    words = [f"':{zsh_text(one.value)}:{zsh_action(one)}'" for one in command.arguments]
    if command.words == (AFTER_DASHES,):
        words = ["'*::COMMAND:_normal'"]
    return zsh_arguments(command.options, *words)


def zsh(server, commands):
    branches = "".join(f"    ({one.words[0]})\n      {zsh_command(one)} ;;\n" for one in commands)
    more = " ".join(f"'{word}'" for word in MORE_WORDS)
    return f"""#compdef rocktable
# Completion of rocktable for zsh

_rocktable() {{
  local -a commands=({zsh_words(commands)} {more})
  if (( CURRENT == 2 )) && [[ $words[2] != -* ]]; then
    _describe command commands
    return
  fi
  local command=$words[2]
  if [[ $command == help ]]; then
    (( CURRENT == 3 )) && _describe command commands
    return
  fi
  (( CURRENT > 2 )) || command=
  if [[ " {" ".join(command.words[0] for command in commands)} " != *" $command "* ]]; then
    {zsh_arguments(server.options)}
    return
  fi
  shift words
  (( --CURRENT ))
  case $command in
{branches}  esac
}}

_rocktable "$@"
"""


# --- fish ---------------------------------------------------------------------------------------------


def fish_text(text):
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"


def fish_option(condition, option):
    words = ["complete -c rocktable", f"-n {fish_text(condition)}"]
    for name in option.names:
        words.append(f"-l {name[2:]}" if name.startswith("--") else f"-s {name[1:]}")
    if option.choices:
        words.append(f"-x -a {fish_text(' '.join(option.choices))}")
    elif option.value:
        words.append("-r -F" if option.is_path else "-x")
    return " ".join([*words, f"-d {fish_text(option.text)}"])


def fish_word(condition, word, text):
    return f"complete -c rocktable -n {fish_text(condition)} -f -a {word} -d {fish_text(text)}"


def fish(server, commands):
    top = " ".join(command.words[0] for command in commands)
    without = f"not __fish_seen_subcommand_from {top} help"
    lines = ["# Completion of rocktable for fish", "complete -c rocktable -f"]
    for command in commands:
        lines.append(fish_word(f"{without}; or __fish_seen_subcommand_from help", command.words[0], command.summary))
    lines += [fish_word(without, word, word) for word in MORE_WORDS]
    lines += [fish_option(without, option) for option in server.options]
    for command in with_subcommands(commands):
        seen = "; and ".join(f"__fish_seen_subcommand_from {word}" for word in command.words)
        for one in command.subcommands:
            names = " ".join(other.words[-1] for other in command.subcommands)
            lines.append(fish_word(f"{seen}; and not __fish_seen_subcommand_from {names}", one.words[-1], one.summary))
        if any(argument.is_path for argument in command.arguments):
            lines.append(f"complete -c rocktable -n {fish_text(seen)} -F")
        lines += [fish_option(seen, option) for option in command.options]
    lines.append("complete -c rocktable -n '__fish_seen_subcommand_from exec; and contains -- -- (commandline -opc)' -F")
    return "\n".join(lines) + "\n"


# --- PowerShell ---------------------------------------------------------------------------------------


def powershell_text(text):
    return "'" + text.replace("'", "''") + "'"


def powershell_list(words):
    return "@(" + ", ".join(map(powershell_text, words)) + ")"


def powershell_values(options):
    """The values of options that have a choice; for those with a path, null, so that the shell completes files."""
    out = []
    for option in options:
        if option.value:
            values = "$null" if option.is_path or not option.choices else powershell_list(option.choices)
            out += [(name.lower(), f"{powershell_text(name)} = {values}") for name in option.names]
    return "@{ " + "; ".join(dict(reversed(out)).values()) + " }"


def powershell(server, commands):
    lines = []
    for words, following, options, _ in paths(server, commands):
        texts = {name: option.text for option in options for name in option.names}
        different = {word.lower(): word for word in reversed([*following, *texts])}  # keys there ignore case
        entries = "; ".join(f"{powershell_text(word)} = {powershell_text(texts.get(word) or word)}"
                            for word in reversed(different.values()))
        lines.append(f"    {powershell_text(words)} = @{{\n"
                     f"      Words = [ordered]@{{ {entries} }}\n"
                     f"      Values = {powershell_values(options)}\n    }}\n")
    return f"""# Completion of rocktable for PowerShell: `. ./rocktable.ps1` in the profile

Register-ArgumentCompleter -Native -CommandName rocktable, rocktable.exe -ScriptBlock {{
  param($word, $line, $cursor)
  $paths = @{{
{"".join(lines)}  }}
  # The words before the one to complete
  $before = @($line.CommandElements | Where-Object {{ $_.Extent.EndOffset -lt $cursor }} |
    ForEach-Object {{ $_.Extent.Text }} | Select-Object -Skip 1)
  if ($before -ccontains '--') {{ return }}
  $command = ''
  foreach ($one in $before) {{
    $longer = "$command $one".Trim()
    if (-not $paths.ContainsKey($longer)) {{ break }}
    $command = $longer
  }}
  $path = $paths[$command]
  $previous = if ($before.Count -gt 0) {{ $before[-1] }} else {{ '' }}
  if ($path.Values.ContainsKey($previous)) {{
    foreach ($value in $path.Values[$previous]) {{
      if ($value -like "$word*") {{
        [System.Management.Automation.CompletionResult]::new($value, $value, 'ParameterValue', $value)
      }}
    }}
    return
  }}
  foreach ($entry in $path.Words.GetEnumerator()) {{
    if ($entry.Key -like "$word*") {{
      [System.Management.Automation.CompletionResult]::new($entry.Key, $entry.Key, 'ParameterName', $entry.Value)
    }}
  }}
}}
"""
