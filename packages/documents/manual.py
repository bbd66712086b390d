"""The manual page, in roff."""
from documents.description import with_subcommands


def escaped(text):
    """Text as roff shows it: no character at the beginning of a line is a request."""
    text = text.replace("\\", "\\\\").replace("-", "\\-")
    return "\n".join("\\&" + line if line.startswith((".", "'")) else line for line in text.split("\n"))


def preformatted(text):
    return f".nf\n{escaped(text)}\n.fi\n"


def option_entry(option):
    names = ", ".join(f"\\fB{escaped(name)}\\fR" for name in option.names)
    value = f" \\fI{escaped(option.value)}\\fR" if option.names and option.value else ""
    if not option.names:
        names = f"\\fI{escaped(option.value)}\\fR"
    return f".TP\n{names}{value}\n{escaped(option.text)}\n"


def option_groups(options):
    groups = {}
    for option in options:
        groups.setdefault(option.group, []).append(option)
    return "".join(f".SS {group}\n" + "".join(map(option_entry, options)) for group, options in groups.items())


def command_section(command, server):
    """`exec` takes the options of the server, which the page has already."""
    title = escaped("rocktable " + " ".join(command.words))
    entries = "".join(map(option_entry, (o for o in command.arguments + command.options if o not in server.options)))
    # A subcommand repeats the last text of its command.
    footer = preformatted(command.footer) if command.footer and len(command.words) == 1 else ""
    return f".SS {title}\n{escaped(command.description)}\n{entries}.PP\n{footer}"


def manual(server, commands, version):
    title, _, description = server.description.partition("\n")
    sections = "".join(command_section(command, server) for command in with_subcommands(commands))
    return (
        f'.TH ROCKTABLE 1 "" "rocktable {version}" "User Commands"\n'
        f".SH NAME\nrocktable \\- {escaped(title.partition(': ')[2].rstrip('.'))}\n"
        ".SH SYNOPSIS\n.B rocktable\n[\\fIOPTION\\fR]...\n.br\n.B rocktable\n\\fICOMMAND\\fR ...\n"
        f".SH DESCRIPTION\nWithout a command, rocktable starts the table service. {escaped(description)}\n"
        f".SH OPTIONS\n{option_groups(server.options)}"
        f".SH NOTES\n{preformatted(server.footer)}"
        f".SH COMMANDS\n{sections}"
    )
