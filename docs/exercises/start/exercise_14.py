r"""Exercise 14: GPT-4's splitter.

GPT-4's pattern has seven alternatives. At each position, the first one that matches makes the next
chunk; it takes as much as it can:

    1  's  't  're  've  'm  'll  'd   in any case
    2  letters                         with one character before them, if there is one and it is
                                       not a letter, a digit or a line break
    3  digits                          one, two or three
    4  other characters                with one space before them, if there is one, and with all
                                       line breaks after them
    5  whitespace                      up to its last line break, if it has one
    6  whitespace                      without its last character, if text follows
    7  whitespace

Other characters are not letters, digits or whitespace. A line break is "\n" or "\r".
"""

WHITESPACE = " \t\n\r\v\f"


def gpt4_split(text: str) -> list[str]:
    r"""Return the chunks of an ASCII text, without a regular expression.

    >>> gpt4_split("It's 12345.\n\n  f(x)")
    ['It', "'s", ' ', '123', '45', '.\n\n', ' ', ' f', '(x', ')']
    """
    raise NotImplementedError
