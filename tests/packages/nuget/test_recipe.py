"""docs/faults.md: builds and runs the program for .NET, unchanged."""
import pytest

from guide import Guide, check_output


@pytest.mark.parametrize("language, text", Guide("faults.md").runnable("csharp"))
def test_the_recipe_does_what_it_says(dotnet, language, text):
    check_output(text, dotnet.build("recipe", source=text).run())
