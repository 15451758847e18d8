"""Whether merging by bytes gives the same ids as merging by pairs.

bpetite merges the pair of ids with the lowest rank. tiktoken merges the two adjacent tokens
whose joined bytes have the lowest rank. Both give the same ids for every text if

    - no two tokens have the same bytes, special tokens included, and
    - every token encodes to itself.

Suppose that the bytes of a token are two adjacent tokens at some moment. Nothing was merged
across the ends of these bytes before, so the same merges apply when they are encoded alone,
and the two tokens are the pair that the token was made from.

Training produces such a vocabulary, unless it continues one that is not. A file made by hand
may differ, so an export checks it.
"""

from collections.abc import Mapping

from bpetite._artifact import Artifact


def find_duplicate(artifact: Artifact) -> str | None:
    """Return a message if two tokens have the same bytes."""
    ids = {name.encode("utf-8"): token_id for name, token_id in artifact.special_tokens.items()}
    for token_id, token in enumerate(artifact.tokens):
        if ids.setdefault(token, token_id) != token_id:
            return (
                f"the tokens {min(ids[token], token_id)} and {max(ids[token], token_id)} "
                f"have the same bytes, {token[:40]!r}"
            )
    return None


def find_unreachable(artifact: Artifact) -> str | None:
    """Return a message if a token does not encode to itself.

    Tokens are checked in the order of their ids, so the parts of each are already known to
    encode to themselves.
    """
    ids: dict[tuple[int, int], int] = {}
    for token_id, pair in enumerate(artifact.merges, 256):
        if ids.setdefault(pair, token_id) != token_id or _is_torn(pair, artifact, ids):
            token = artifact.tokens[token_id][:40]
            return f"the token {token_id}, {token!r}, does not encode to itself"
    return None


def _is_torn(pair: tuple[int, int], artifact: Artifact, ids: Mapping[tuple[int, int], int]) -> bool:
    """Return whether a merge crosses the middle before both parts are complete.

    At any time, one token ends at the middle and one starts there. Going back in time, the
    later of the two is replaced by its own part at the middle. Each existed until it became
    part of the next; if a merge of the two has a lower rank than that, it happened first. In
    the single pass that makes both, the leftmost pair is merged first.
    """
    left, right = pair
    left_until = right_until = 0x110000 + 256  # no id is so high
    while left >= 256 or right >= 256:
        if left >= right:
            left_until, left = left, artifact.merges[left - 256][1]
        else:
            right_until, right = right, artifact.merges[right - 256][0]
        merged = ids.get((left, right))
        if merged is not None and merged < left_until and merged <= right_until:
            return True
    return False
