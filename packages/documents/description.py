"""The commands and options of the program, as `rocktable help --json` prints them."""
import dataclasses
import re


@dataclasses.dataclass(frozen=True)
class Option:
    names: tuple  # "-l", "--location"; empty: a word without a name
    value: str  # the placeholder of its value; empty: a flag
    choices: tuple  # all values that it takes; empty: any
    text: str
    group: str

    @property
    def is_path(self):
        return bool(re.search(r"\b(FILE|DIR)\b", self.value))


@dataclasses.dataclass(frozen=True)
class Command:
    words: tuple  # ("snapshot", "take"); empty: the server
    description: str
    footer: str
    options: tuple
    arguments: tuple  # of Option, without names
    subcommands: tuple

    @property
    def summary(self):
        """The first sentence of the description, without the form of the command line that may precede it."""
        return next(line for line in self.description.splitlines() if not line.startswith("rocktable "))


def read_option(data):
    value = data.get("value", data.get("name", ""))
    choices = re.search(r"\{([^}]*)\}", value)
    return Option(
        names=tuple(data.get("names", ())),
        value=re.split(r"[:=]", value)[0],
        choices=tuple(choices[1].split(",")) if choices else (),
        text=data["text"],
        group=data["group"],
    )


def read_command(data, words):
    subcommands = tuple(read_command(one, (*words, one["name"])) for one in data["subcommands"])
    return Command(
        words=words,
        description=data["description"],
        footer=data["footer"].strip("\n"),
        options=tuple(read_option(one) for one in data["options"]),
        arguments=tuple(read_option(one) for one in data["arguments"]),
        subcommands=subcommands,
    )


def read_program(array):
    """Returns the server and the list of commands."""
    server, *commands = array
    return read_command(server, ()), [read_command(one, tuple(one["name"].split()[1:])) for one in commands]


def with_subcommands(commands):
    """Each command, followed by its subcommands."""
    for command in commands:
        yield command
        yield from with_subcommands(command.subcommands)
