"""A project into which npm installs packages from a registry, as users have it."""
import os
import platform
import subprocess

CPU = {"x86_64": "x64", "aarch64": "arm64"}[platform.machine()]  # Node's name
SECONDS = 120


def variables(more=None):
    """As for a user: no ROCKTABLE_BINARY, and no outer npm."""
    kept = {name: value for name, value in os.environ.items() if not name.lower().startswith(("rocktable_", "npm_"))}
    quiet = {f"npm_config_{option}": "false" for option in ("audit", "fund", "update_notifier")}
    return {**kept, **quiet, "npm_config_userconfig": os.devnull, **(more or {})}


class Project:
    """A project into which packages are installed."""

    def __init__(self, folder, registry, *options, cache):
        self.folder = folder
        self._npm = {"npm_config_registry": f"{registry.url}/", "npm_config_cache": str(cache)}
        folder.mkdir(parents=True)
        (folder / "package.json").write_text('{ "private": true }\n')
        self.run("npm", "install", "--save-dev", "rocktable", *options)
        self.program = folder / f"node_modules/@rocktable/linux-{CPU}/bin/rocktable"
        self.launcher = folder / "node_modules/.bin/rocktable"

    def write(self, name, text):
        file = self.folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
        return file

    def variables(self, more=None):
        return variables({**self._npm, **(more or {})})

    def run(self, *words, code=0, environment=None, **options):
        """Runs a program in the project and checks its exit code. Returns what it wrote."""
        words = [str(word) for word in words]
        ended = subprocess.run(words, **{"cwd": self.folder, **options}, env=self.variables(environment),
                               stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=SECONDS, check=False)
        assert ended.returncode == code, f"{words}: {ended.returncode}\n{ended.stdout}\n{ended.stderr}"
        return ended

    def start(self, *words, **options):
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
        words = [str(word) for word in words]
        return subprocess.Popen(words, cwd=self.folder, env=self.variables(), **{**pipes, **options})

    def script(self, text, node="node", **options):
        """Runs an ES module and returns its output."""
        return self.run(node, self.write("script.mjs", text), **options).stdout
