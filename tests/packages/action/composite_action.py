"""Runs the steps of a composite action with bash, as GitHub's runner does. Knows only the syntax that action.yml uses,
and fails for any other. Source: docs.github.com, "Metadata syntax for GitHub Actions", "Workflow commands"."""
import os
import re
import signal
import subprocess

import yaml

BASH = ["bash", "--noprofile", "--norc", "-e", "-o", "pipefail"]
EXPRESSION = re.compile(r"\$\{\{ *(.*?) *\}\}")
SECONDS = 60


class StepFailed(Exception):
    """A step of the action ended with another exit code than 0. The text is its error annotations."""


class Job:
    """A job on a runner for one architecture. `folder`: its workspace and temporary files. Ends by `stop`."""

    def __init__(self, folder, runner_os="Linux", runner_arch="X64"):
        self.workspace = folder / "workspace"
        self.temporary = folder / "temporary"
        for one in (self.workspace, self.temporary):
            one.mkdir()
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("ROCKTABLE_", "AZURE_"))}
        self.environment = {**kept, "RUNNER_OS": runner_os, "RUNNER_ARCH": runner_arch,
                            "RUNNER_TEMP": str(self.temporary), "CI": "true"}
        self._groups = []
        self._steps = 0

    def uses(self, action, inputs):
        """Runs the steps of an action (a file). Returns its outputs and what its steps printed."""
        action = yaml.safe_load(action.read_text())
        assert action["runs"]["using"] == "composite"
        assert set(inputs) <= set(action["inputs"])
        missing = [name for name, one in action["inputs"].items() if one.get("required") and name not in inputs]
        assert missing == []
        values = {f"inputs.{name}": inputs.get(name, one.get("default", "")) for name, one in action["inputs"].items()}
        assert all(isinstance(value, str) for value in values.values())
        printed = []
        for step in action["runs"]["steps"]:
            assert set(step) <= {"if", "id", "shell", "env", "run"} and step["shell"] == "bash"
            outputs = {}
            if self._holds(step.get("if"), values):
                environment = {name: self._filled(text, values) for name, text in step.get("env", {}).items()}
                assert "${{" not in step["run"], "a value in a script could be executed; pass it as a variable"
                outputs, text = self.run(step["run"], environment)
                printed.append(text)
            values.update({f"steps.{step['id']}.outputs.{name}": value for name, value in outputs.items()}
                          if "id" in step else {})
        outputs = {name: self._filled(one["value"], values) for name, one in action["outputs"].items()}
        return outputs, "".join(printed)

    @staticmethod
    def _holds(condition, values):
        if condition is None:
            return True
        name, expected = re.fullmatch(r"([\w.-]+) == '([^']*)'", condition).groups()
        return values[name] == expected

    @staticmethod
    def _filled(text, values):
        """An output of a step that did not run is empty."""

        def value(expression):
            assert expression[1] in values or expression[1].startswith("steps.")
            return values.get(expression[1], "")

        return EXPRESSION.sub(value, text)

    def run(self, script, environment=None):
        """Runs a step, and applies the files that it wrote. Returns its outputs and what it printed."""
        self._steps += 1
        names = ("GITHUB_ENV", "GITHUB_PATH", "GITHUB_OUTPUT")
        files = {name: self.temporary / f"{name}_{self._steps}" for name in names}
        for file in files.values():
            file.touch()
        source = self.temporary / f"step_{self._steps}.sh"
        source.write_text(script)
        variables = {**self.environment, **(environment or {}), **{name: str(file) for name, file in files.items()}}
        with subprocess.Popen([*BASH, source], cwd=self.workspace, env=variables, stdin=subprocess.DEVNULL, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True) as step:
            self._groups.append(step.pid)
            try:
                printed, _ = step.communicate(timeout=SECONDS)  # also waits for what still has its output open
            except subprocess.TimeoutExpired:
                self.stop()
                raise
        if step.returncode != 0:
            errors = re.findall(r"^::error [^:]*::(.*)$", printed, re.MULTILINE)
            assert errors, f"the step failed without an error:\n{printed}"
            raise StepFailed("\n".join(errors).replace("%0A", "\n").replace("%25", "%"))
        self.environment.update(self._assignments(files["GITHUB_ENV"]))
        for line in files["GITHUB_PATH"].read_text().splitlines():
            self.environment["PATH"] = f"{line}:{self.environment['PATH']}"
        return self._assignments(files["GITHUB_OUTPUT"]), printed

    @staticmethod
    def _assignments(file):
        lines = [line.partition("=") for line in file.read_text().splitlines()]
        assert all(equals for _, equals, _ in lines), file.read_text()
        return {name: value for name, _, value in lines}

    def stop(self):
        """Ends the processes that steps have left, as the runner does when the job ends."""
        for group in self._groups:
            try:
                os.killpg(group, signal.SIGTERM)
            except ProcessLookupError:
                pass
