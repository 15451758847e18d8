"""`bpetite verify`, from the command line."""

import hashlib
from pathlib import Path
from typing import Final

import pytest

import oracle
from artifacts import write_artifact
from bpetite import Tokenizer
from cli_tools import A, printed, verified

CALL: Final = "verify --model m.json --input a.txt"


@pytest.mark.usefixtures("small")
def test_a_model_is_proved_by_its_corpus() -> None:
    """Every merge comes from the corpus, and the file has the bytes that training gives."""
    Tokenizer.train(A, 269).save("m.json", overwrite=True)
    status, data, told = verified(CALL)
    digest = hashlib.sha256(Path("m.json").read_bytes()).hexdigest()
    assert (status, told) == (0, ["proved: all 13 merges come from this corpus"])
    assert data.pop("regex")
    assert data.pop("seconds") > 0
    assert data == {
        "equal": True,
        "difference": None,
        "merges_proved": 13,
        "vocab_size": 269,
        "rows": 270,
        "merges": 13,
        "pattern": "gpt2",
        "special_tokens": {"<|endoftext|>": 269},
        "sha256": digest,
        "sha256_of_training": digest,
        "files": 1,
        "skipped": None,
        "bytes": len(A.encode()),
    }


LATER: Final = "'·' (id 32) and 'c' (id 99) make '·c'; the file's pair is"


@pytest.mark.parametrize(
    ("text", "merges", "rank", "explained"),
    [
        ("ab cd", [(97, 98), (32, 99)], 0, f"{LATER} learned at rank 1"),
        ("ab cd", [(97, 98)], 0, f"{LATER} not learned up to this size"),
        (
            "ab",
            [(97, 98), (256, 256)],
            1,
            "no pair is left; the file's pair is not learned up to this size",
        ),
    ],
    ids=["a wrong tie-break", "not learned", "an extra merge"],
)
def test_a_wrong_merge_is_explained(
    here: Path, text: str, merges: list[tuple[int, int]], rank: int, explained: str
) -> None:
    """The messages show both pairs, when the file's is learned, and what may be the reason."""
    (here / "a.txt").write_text(text)
    write_artifact(here / "m.json", merges)
    status, data, told = verified(CALL)
    assert (status, data["equal"], data["merges_proved"]) == (1, False, rank)
    found = data["difference"]
    assert (found["rank"], found["id"]) == (rank, 256 + rank)
    token = oracle.vocabulary(merges)[256 + rank]
    assert found["model_merge"] == {"pair": list(merges[rank]), "hex": token.hex()}
    if merges[rank] == (97, 98):
        assert told[0] == "the file:   'a' (id 97) and 'b' (id 98) make 'ab'"
    assert told[1] == f"the corpus: {explained}"
    assert (found["corpus_merge"] is None) == ("no pair is left" in explained)
    assert told[2] == (
        f"error: the merge at rank {rank} does not come from this corpus; "
        f"{rank} of {len(merges)} merges are proved"
    )
    assert told[-1].endswith(f"(here: regex {data['regex']})")


@pytest.mark.usefixtures("small")
def test_a_noncanonical_file_is_found() -> None:
    """If the merges are proved but the bytes differ, the suggested fix works."""
    Tokenizer.train(A, 269).save("m.json", overwrite=True)
    with Path("m.json").open("ab") as file:
        file.write(b"\n")
    status, data, told = verified(CALL)
    found = (status, data["equal"], data["difference"], data["merges_proved"])
    assert found == (1, False, None, 13)
    error, way_out = told
    assert error.startswith("error: m.json is not byte for byte what bpetite saves, although all ")
    assert way_out.endswith("save it again with `bpetite truncate --vocab-size 269`")
    printed("truncate --model m.json --vocab-size 269 --output again.json")
    assert verified(CALL.replace("m.json", "again.json"))[0] == 0
