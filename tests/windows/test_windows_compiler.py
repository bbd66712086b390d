"""The options with which the program for Windows is compiled (cmake/windows.cmake)."""
import json
import shlex
import subprocess

import pytest

import windows_program

COMMANDS = windows_program.ROOT / "build/windows/compile_commands.json"

pytestmark = pytest.mark.skipif(windows_program.ON_WINDOWS or not COMMANDS.exists() or not windows_program.IS_THERE,
                                reason=windows_program.WHAT_IS_MISSING)

# Both files have the templates of the generator; the linker keeps those of the first.
FAST = """
#include <random>
unsigned long long first(std::mt19937_64& source) { return source(); }
"""
SMALL = """
#include <cstdio>
#include <random>
unsigned long long first(std::mt19937_64& source);
int main() {
  std::mt19937_64 source;
  unsigned long long value = first(source);
  for (int i = 1; i < 10'000; ++i) value = source();
  std::printf("%llu", value);
}
"""
TEN_THOUSANDTH = "9981545732273789042"  # says the standard of C++: [rand.predef]


def test_a_template_compiled_for_speed_serves_what_is_compiled_for_size(tmp_path):
    compiler, *words = shlex.split(json.loads(COMMANDS.read_text(encoding="utf-8"))[0]["command"])
    options = [word for word in words if word.startswith("-f")]
    for name, text, level in (("fast", FAST, "-O3"), ("small", SMALL, "-Os")):
        (tmp_path / f"{name}.cc").write_text(text, encoding="utf-8")
        subprocess.run([compiler, *options, level, "-c", f"{name}.cc"], cwd=tmp_path, check=True)
    subprocess.run([compiler, "-static", "fast.o", "small.o", "-o", "numbers.exe"], cwd=tmp_path, check=True)
    assert windows_program.run(program=tmp_path / "numbers.exe").stdout == TEN_THOUSANDTH.encode()
