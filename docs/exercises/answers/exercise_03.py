"""Exercise 3: where the pattern cuts."""

CHUNKS: dict[str, list[str]] = {
    "The river's end.": ["The", " river", "'s", " end", "."],
    "two  spaces": ["two", " ", " spaces"],
    "x = 10": ["x", " =", " 10"],
    "don't DON'T": ["don", "'t", " DON", "'", "T"],
    "a1b2": ["a", "1", "b", "2"],
    "snake_case": ["snake", "_", "case"],
    "end \n\n next": ["end", " \n\n", " next"],
    "tab\there": ["tab", "\t", "here"],
    "wait...what?!": ["wait", "...", "what", "?!"],
    "'tis": ["'t", "is"],
    "über naïve": ["über", " naïve"],
    "bye  ": ["bye", "  "],
}
