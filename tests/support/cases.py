"""For test programs outside of pytest: runs cases one after the other, and prints the final line."""
import traceback


class Cases:
    """Counts cases that passed, failed and were skipped, and prints a line for each."""

    def __init__(self):
        self.passed = self.failed = self.skipped = 0

    def tell(self, what, holds):
        """Counts one case; `holds` is None if it was skipped."""
        self.add(holds is True, holds is False, holds is None)
        print({True: "ok  ", False: "FAILED  ", None: "skipped  "}[holds] + what, flush=True)

    def add(self, passed, failed, skipped):
        self.passed += passed
        self.failed += failed
        self.skipped += skipped

    def try_all(self, cases):
        """Counts all (what, holds) of an iterator. An exception is a failed case and ends the iteration."""
        try:
            for what, holds in cases:
                self.tell(what, holds)
        except Exception as error:
            traceback.print_exc()
            self.tell(f"it went on ({error})", False)

    def end(self):
        """Prints the final line and returns the exit code."""
        print(f"{self.passed} passed, {self.failed} failed, {self.skipped} skipped")
        return 0 if self.passed and not self.failed else 1
