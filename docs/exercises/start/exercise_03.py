"""Exercise 3: where the pattern cuts.

The pattern has six rules. At each place the first rule that matches takes as much as it can:

    1  's  't  'd  'm  'll  've  're       in small letters
    2  letters                             one space in front may belong to them
    3  digits                              the same
    4  other marks, but no whitespace      the same
    5  whitespace, but not its last character if something follows: of "   x" it takes two spaces
    6  whitespace
"""

# Write the chunks of each text, in order.
CHUNKS: dict[str, list[str]] = {
    "The river's end.": [],
    "two  spaces": [],
    "x = 10": [],
    "don't DON'T": [],
    "a1b2": [],
    "snake_case": [],
    "end \n\n next": [],
    "tab\there": [],
    "wait...what?!": [],
    "'tis": [],
    "über naïve": [],
    "bye  ": [],
}
