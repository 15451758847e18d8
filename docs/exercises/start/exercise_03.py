"""Exercise 3: where the pattern cuts.

The pattern has six rules. At each position, use the first rule that matches; it takes as much as
it can:

    1  's  't  'd  'm  'll  've  're       lowercase only
    2  letters                             with one space before them, if there is one
    3  digits                              with one space before them, if there is one
    4  other marks, but not whitespace     with one space before them, if there is one
    5  whitespace, without its last character if text follows: two of the spaces in "   x"
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
    "über naïve": [],  # über is German for over
    "bye  ": [],
}
