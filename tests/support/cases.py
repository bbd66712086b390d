"""Cases that programs of their own try one after the other, and the line that they end with."""
import traceback


class Cases:
    """Counts cases that passed, failed and were skipped, and prints a line for each."""

    def __init__(self):
        self.passed = self.failed = self.skipped = 0

    def tell(self, what, holds):
        """One case; `holds` is None where it was skipped."""
        self.add(holds is True, holds is False, holds is None)
        print({True: "ok  ", False: "FAILED  ", None: "skipped  "}[holds] + what, flush=True)

    def add(self, passed, failed, skipped):
        self.passed += passed
        self.failed += failed
        self.skipped += skipped

    def try_all(self, cases):
        """All of an iterator's (what, holds). An exception is a case that failed, and the last one."""
        try:
            for what, holds in cases:
                self.tell(what, holds)
        except Exception as error:
            traceback.print_exc()
            self.tell(f"it went on ({error})", False)

    def end(self):
        """Prints the last line; the exit code."""
        print(f"{self.passed} passed, {self.failed} failed, {self.skipped} skipped")
        return 0 if self.passed and not self.failed else 1
