"""Exercise 1: merge by hand."""

# (w, e) occurs 8 times. After that merge six pairs occur 6 times, so the ids decide; a space is 32.
MERGES: list[tuple[str, str]] = [("w", "e"), (" ", "n"), ("e", "we"), ("l", "o")]

# No merge joins "lo" and "we": they are adjacent only in " lower", twice.
LOWEST: list[str] = ["lo", "we", "s", "t"]
