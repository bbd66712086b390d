// The entry of the unit tests. `--help` lists doctest's options, `-tc="*words*"` runs one test.
#define DOCTEST_CONFIG_IMPLEMENT_WITH_MAIN
#include <doctest/doctest.h>
