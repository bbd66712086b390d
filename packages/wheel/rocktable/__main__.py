"""`python -m rocktable` is the command `rocktable`."""
from ._program import main

if __name__ == "__main__":
    main()
