"""Makes wheels. A regular package, because Python prefers Debian's package `wheel` to a folder without this file."""
