"""Whether merging by bytes gives the same ids as merging by pairs.

bpetite merges the pair of tokens with the lowest rank. tiktoken merges the two adjacent tokens
whose joined bytes have the lowest id. Both give the same ids for every text if

    - no two tokens have the same bytes, special tokens included,
    - every token that a merge makes encodes to itself,
    - merging by bytes, the parts of a whole token do not become it, and
    - merging the pairs in the order of their ids gives the same as in the order of their ranks.

Suppose that the bytes of a token are two adjacent tokens at some moment, and that merging by
pairs in the order of ids has made the same tokens so far. Nothing was merged across the ends of
these bytes before, so the same merges apply when they are encoded alone. So the token is not
whole, and the two tokens are the pair that it was made from.

The last condition holds if the ids are in the order of ranks. Otherwise call a merge whose id is
above all earlier ones a pivot, and those up to the next pivot early: their ids are lower than
the pivot's. By ids, each occurrence of a pivot grows by early merges at once, the lowest first.
By ranks, all occurrences of the pivot are merged before any grows. This is the same if

    - an early merge joins a token that is new since its pivot to one that is not,
    - those that join to the same new token are in the order of their ids,
    - no token is joined on the left of a new one in one early merge of a pivot and on the right
      in another, and
    - the left part of the pivot is not joined on the right.

Then no occurrence takes a token that another could take, or a part of another occurrence; each
grows by the lowest possible merge. In Llama 3, 90 merges are early, and all meet this.

Training produces a vocabulary that meets all conditions, unless it continues one that does not.
Files made by hand, and imports with ids of their own, may not, so `exportable` comes before every
claim of equal ids. The other libraries merge by pairs, so the order of ids does not matter there.
"""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import pairwise

from bpetite._inner import Artifact, checked_special_tokens
from bpetite_compare._letters import of_letters
from bpetite_compare.reference import decompose_token


def exportable(
    artifact: Artifact, special_tokens: Iterable[str] = (), library: str = "tiktoken"
) -> Artifact:
    """Return a tokenizer as another library can have it, with more special tokens.

    Args:
        artifact: the tokenizer.
        special_tokens: more special tokens; their ids follow the last one.
        library: the name of the library.

    Raises:
        TypeError: `special_tokens` is a single `str`, or contains something other than `str`.
        ValueError: the library would have other ids, or not every library can use a special
            token; the message explains why.
    """
    fault = find_duplicate(artifact) or find_unreachable(artifact)
    if not fault and library == "tiktoken" and (fault := find_unordered(artifact)):
        fault += "; export to huggingface instead"
    if fault:
        raise ValueError(f"cannot export this tokenizer to {library}: {fault}")
    if isinstance(special_tokens, str):
        shown = f"[{special_tokens[:40]!r}]"
        raise TypeError(f"special_tokens must be a list of str, such as {shown}, got str")
    names = (*artifact.special_names, *special_tokens)
    checked_special_tokens(names, "exported")
    begun = (name for name, longer in pairwise(sorted(names)) if longer.startswith(name))
    if library == "tiktoken" and (name := next(begun, None)):
        raise ValueError(
            f"cannot export this tokenizer to tiktoken: its special token {name[:40]!r} begins "
            "another one, and tiktoken tries them in no fixed order; export to huggingface instead"
        )
    ids, last = artifact.ids, max(artifact.ids)
    more = range(last + 1, last + 1 + len(names) - len(artifact.special_names))
    ids_of = ids_by_bytes(artifact)
    for name in names:
        # Its letters are its key in `vocab.json`.
        found = ids_of.get(name.encode("utf-8"), ids_of.get(of_letters(name) or b""))
        if found is not None and (library == "tiktoken" or not name.isspace()):
            raise ValueError(
                f"the special token {name[:40]!r} is already the ordinary token {found}; "
                "choose another name"
            )
    return replace(artifact, special_names=names, numbering=(*ids, *more))


def ids_by_bytes(artifact: Artifact) -> dict[bytes, int]:
    """Return the id of each token that is not special, by its bytes, in the order of ids."""
    ids = zip(artifact.ids, artifact.tokens, strict=False)
    return {token: token_id for token_id, token in sorted(ids)}


def find_duplicate(artifact: Artifact) -> str | None:
    """Return a message if two tokens have the same bytes; `exportable` looks at whitespace."""
    special = artifact.special_tokens
    ids = {name.encode("utf-8"): special[name] for name in special if not name.isspace()}
    for token_id, token in enumerate(artifact.tokens):
        if ids.setdefault(token, token_id) != token_id:
            first, second = sorted((ids[token], token_id))
            return f"the tokens {first} and {second} have the same bytes, {token[:40]!r}"
    return None


def find_unreachable(artifact: Artifact) -> str | None:
    """Return a message if a token does not encode to itself."""
    for index in artifact.unreachable:
        token = artifact.tokens[index][:40]
        return f"the token {artifact.ids[index]}, {token!r}, does not encode to itself"
    return None


def find_unordered(artifact: Artifact) -> str | None:
    """Return a message if merging by bytes may give other ids, though each token is reachable."""
    ids = ids_by_bytes(artifact)
    merged = (token for token in artifact.whole_tokens if decompose_token(ids, token) == [token])
    if (token := next(merged, None) or next(_too_early(artifact), None)) is None:
        return None
    return (
        f"tiktoken merges the lowest id first, so it would have the token {ids[token]}, "
        f"{token[:40]!r}, in other places"
    )


def _too_early(artifact: Artifact) -> Iterator[bytes]:
    """Yield the tokens whose merges have too low an id."""
    # The id of the last merge that joins to each new token, and which old ones it joins behind.
    highest, joined, behind = -1, dict[int, int](), dict[int, bool]()
    for index, (left, right) in enumerate(artifact.merges, 256):
        token_id = artifact.ids[index]
        if token_id > highest:
            highest, joined, behind = token_id, {index: -1}, {left: False}
            continue
        new, old = (left, right) if left in joined else (right, left)
        side = behind.setdefault(old, new == left)
        if new not in joined or old in joined or side != (new == left) or token_id < joined[new]:
            yield artifact.tokens[index]
        joined[new], joined[index] = token_id, -1
