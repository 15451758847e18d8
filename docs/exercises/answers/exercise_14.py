"""Exercise 14: GPT-4's splitter."""

from string import ascii_letters, digits

CONTRACTIONS = ("'s", "'t", "'re", "'ve", "'m", "'ll", "'d")
LINE_BREAKS = "\n\r"
WHITESPACE = " \t\n\r\v\f"
OTHERS = "".join({*map(chr, range(128))}.difference(ascii_letters, digits, WHITESPACE))


def gpt4_split(text: str) -> list[str]:
    """Return the chunks of an ASCII text."""
    chunks: list[str] = []
    while text:
        before = text[0] not in ascii_letters + digits + LINE_BREAKS
        word = run(text, ascii_letters, before)
        space = text[0] == " "
        marks = run(text, OTHERS, space)
        white = run(text, WHITESPACE)
        ends = [
            next((len(one) for one in CONTRACTIONS if text[:3].lower().startswith(one)), 0),
            word if word > before else 0,
            min(run(text, digits), 3),
            run(text, LINE_BREAKS, marks) if marks > space else 0,
            max(text.rfind("\n", 0, white), text.rfind("\r", 0, white)) + 1,
            white if white == len(text) else white - 1,
            white,
        ]
        end = next(filter(None, ends))  # an alternative that does not match ends at 0
        chunks.append(text[:end])
        text = text[end:]
    return chunks


def run(text: str, characters: str, start: int = 0) -> int:
    """Return where a run of some characters ends."""
    while start < len(text) and text[start] in characters:
        start += 1
    return start
