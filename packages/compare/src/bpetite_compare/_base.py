"""The folder or GGUF file of a model with another vocabulary: what `export --base` writes.

Vocabulary and merges are the tokenizer's. Everything else stays the model's: normalizer,
post-processor, decoder, the flags of added tokens, roles and templates. If a map says that ids
moved, they move in every file, and an id that no token has any more is an error. A file in which
nothing changes is copied byte for byte.
"""

import json
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from bpetite._inner import Artifact, quoted
from bpetite_compare._beside import naming, object_in, parse_source, read_source, special_tokens_in
from bpetite_compare._foreign import Foreign, Options
from bpetite_compare._formats import GgufBase, added_token, merge_lines, vocab_json
from bpetite_compare._from_huggingface import FLAGS, parts_of, read_gguf, read_huggingface
from bpetite_compare._gguf import read_header
from bpetite_compare._letters import of_letters
from bpetite_compare._spellings import changed_ends, in_llama_cpp

_TOKENIZER, _CONFIG, _ADDED = "tokenizer.json", "tokenizer_config.json", "added_tokens.json"
_OTHERS: Final = ("special_tokens_map.json", "config.json", "generation_config.json")
_TEMPLATES: Final = ("chat_template.jinja", "chat_template.json")
MORE_TEMPLATES: Final = "additional_chat_templates"
_IDS: Final = re.compile(
    "(.*_)?tokens?_(id|ids|index)|(begin_)?suppress_tokens|(bad|force)_words_ids|(lang|task)_to_id"
    "|ids|sep|cls|pad_id"  # of post-processors and padding
)
"""The keys of ids."""
_MIXED: Final = ("forced_decoder_ids", "sequence_bias")
"""The keys of ids among other numbers."""
_NOT_TEXT: Final = re.compile("(?!(text|language|llm|thinker)_).*_config")
"""The keys of objects with ids of other vocabularies, such as those of sounds."""
_MOST_SHOWN: Final = 4


def read_id_map(path: str, rows: int) -> list[int | None]:
    """Return the old id of each new one, or None where there was none.

    Args:
        path: a file with a JSON list of ids and null.
        rows: how many there must be.

    Raises:
        ValueError: it is not such a list, or has an id twice; the message says where.
    """
    with naming(quoted(path)):
        content, places = parse_source(read_source(path)), dict[int, int]()
        if not isinstance(content, list) or len(content) != rows:
            found = f"{len(content):,} elements" if isinstance(content, list) else "no list"
            raise ValueError(f"expected a list of {rows:,} old ids or null, found {found}")
        for place, old in enumerate(content):
            if old is not None and (type(old) is not int or not 0 <= old < 1 << 32):
                raise ValueError(f"expected an id or null at position {place}, found {old!r:.40}")
            if old is not None and places.setdefault(old, place) != place:
                raise ValueError(f"the id {old} is at the positions {places[old]} and {place}")
    return content


@dataclass(frozen=True, slots=True)
class _Ids:
    """Where the ids of a model went.

    new: the new id of each old one; None if it is gone, or has another token now.
    moved: whether a map says so. Without one, ids that no tokenizer has stay.
    given: the values of keys that options name.
    """

    new: Mapping[int, int | None]
    moved: bool
    given: Mapping[str, object]

    def within(self, value: Any, where: str, *, is_id: bool = False) -> Any:  # noqa: ANN401
        """Return JSON with the new ids."""
        if isinstance(value, list):
            return [self.within(one, where, is_id=is_id) for one in value]
        if isinstance(value, dict):
            return {key: self._at(key, one, where, is_id=is_id) for key, one in value.items()}
        if not is_id or type(value) is not int or value < 0:
            return value
        if (new := self.new.get(value, None if self.moved else value)) is None:
            raise ValueError(
                f"{where} has the id {value!s:.40}, whose token is gone or another one now"
            )
        return new

    def _at(self, key: str, value: object, where: str, *, is_id: bool) -> object:
        if key in self.given or _NOT_TEXT.fullmatch(key):
            return self.given.get(key, value)
        if self.moved and value and key in _MIXED:
            raise ValueError(f"{where}: ids cannot be moved in {key}; remove it from the base")
        return self.within(value, f"{where}: {key}", is_id=is_id or bool(_IDS.fullmatch(key)))


def on_base(
    tokenizer: Artifact,
    folder: str,
    id_map: Sequence[int | None] | None,
    roles: Mapping[str, str],
    settings: Mapping[str, object],
) -> tuple[dict[str, bytes], list[str]]:
    """Return the files of a model's folder with another vocabulary, and remarks.

    Args:
        tokenizer: the tokenizer, with all special tokens of the export.
        folder: the model's folder.
        id_map: the old id of each new one, as `read_id_map` returns it; None if no id moved.
        roles: the special tokens of roles that replace the model's.
        settings: other values that replace those in `tokenizer_config.json`.

    Raises:
        ValueError: a file is damaged, the split patterns differ, the tokenizer lacks a special
            token of the model, an id has other bytes now, or a file has an id that is gone.
    """
    names = (_TOKENIZER, _CONFIG, _ADDED, *_OTHERS)
    copied = (*names, *(() if "chat_template" in settings else _TEMPLATES))
    paths = {name: os.path.join(folder, name) for name in copied}
    files = {name: read_source(path) for name, path in paths.items() if os.path.lexists(path)}
    old = {name: object_in(folder, name) for name in names}
    content, base = old[_TOKENIZER], _base(old[_TOKENIZER], folder, tokenizer)
    if "chat_template" not in settings and os.path.isdir(os.path.join(folder, MORE_TEMPLATES)):
        raise ValueError(
            f"{quoted(folder)} has {MORE_TEMPLATES}, which is not copied: list them in "
            "tokenizer_config.json, or name one with --chat-template (chat_template=)"
        )
    special = tokenizer.special_tokens
    named: dict[str, object] = {f"{role}_token": name for role, name in roles.items()}
    given = named | {f"{role}_token_id": special[name] for role, name in roles.items()}
    if id_map is not None:
        given["vocab_size"] = max(tokenizer.ids) + 1  # the map has a row for each id
    ids = _Ids(_new_ids(tokenizer, base, id_map), id_map is not None, given)
    rest = {**old, _TOKENIZER: {**content, "model": None}}
    new = {name: ids.within(one, name, is_id=name == _ADDED) for name, one in rest.items()}
    more = [name for name in special if name not in base.special_tokens]
    listed = {one["content"]: one for one in content.get("added_tokens", [])}
    tokens = [*listed.values(), *(added_token(name) for name in special if name not in listed)]
    new[_TOKENIZER]["added_tokens"] = [one | {"id": special[one["content"]]} for one in tokens]
    added = new[_TOKENIZER]["added_tokens"]
    new[_TOKENIZER]["model"] = _model(content["model"], tokenizer, added, moved=ids.moved)
    new[_CONFIG] = {**new[_CONFIG], **named, **settings}
    if decoder := old[_CONFIG].get("added_tokens_decoder"):
        tokens = [*decoder.values(), *map(added_token, more)]
        new[_CONFIG]["added_tokens_decoder"] = {str(special[one["content"]]): one for one in tokens}
    if old[_ADDED]:
        new[_ADDED] |= {name: special[name] for name in more}
    changed = [name for name in new if new[name] != old[name]]
    for name in changed:
        text = json.dumps(new[name], ensure_ascii=False, indent=2)
        files[name] = text.encode("utf-8", "backslashreplace") + b"\n"  # JSON's escapes, too
    return files, [f"changed: {', '.join(changed) or 'nothing'}", *_other_ids(content)]


def _base(content: dict[str, Any], folder: str, tokenizer: Artifact) -> Foreign:
    """Return a model's tokenizer; reject one whose pattern or special tokens do not fit."""
    if os.path.isfile(folder):
        raise ValueError(f"--base (base=): {quoted(folder)} is a file; name the model's folder")
    if not os.path.isfile(os.path.join(folder, _TOKENIZER)):
        found = ", ".join(map(quoted, sorted(os.listdir(folder))[:_MOST_SHOWN])) or "no file"
        raise ValueError(f"--base (base=): {quoted(folder)} has {found}, but no tokenizer.json")
    with naming(quoted(os.path.join(folder, _TOKENIZER))):
        base = read_huggingface(_unstripped(content), Options(drop_normalizer=True))
        base.obstacles += changed_ends(base.splits, tokenizer.tokens, tokenizer.whole_tokens)
        if (pattern := base.check()) != tokenizer.pattern:
            own = tokenizer.pattern.name
            raise ValueError(f"its pattern is {pattern.name}, and that of this tokenizer {own}")
    base.special_tokens = {**special_tokens_in(folder, Foreign()), **base.special_tokens}
    lacking = [name for name in base.special_tokens if name not in tokenizer.special_tokens]
    if lacking:
        names = ", ".join(f"{name!r:.42}" for name in lacking[:_MOST_SHOWN])
        raise ValueError(
            f"this tokenizer lacks {len(lacking):,} special tokens of --base (base=): {names}; "
            "--special (special_tokens=) adds some to the export"
        )
    return base


def _unstripped(content: dict[str, Any]) -> dict[str, Any]:
    """Return the content without the flags of added tokens that change the text around them."""
    if not isinstance(added := content.get("added_tokens"), list):
        return content
    plain = dict.fromkeys(FLAGS[:3], False)
    tokens = [one | plain if isinstance(one, dict) else one for one in added]
    return content | {"added_tokens": tokens}


def _new_ids(
    tokenizer: Artifact, base: Foreign, id_map: Sequence[int | None] | None
) -> dict[int, int | None]:
    """Return the new id of each old one; None if it is gone, or new.

    Raises:
        ValueError: the map is damaged, or an id has other bytes than in the model.
    """
    vocab = tokenizer.vocab
    known = {one: token for token, one in base.ids.items()}
    known |= {one: name.encode("utf-8") for name, one in base.special_tokens.items()}
    if id_map is None:
        new, way_out = {one: one for one in known if one in vocab}, "--id-map says what moved"
    else:
        new, way_out = {}, "correct the map"
        new |= {old: one for one, old in enumerate(id_map) if old is not None}
    if wrong := [old for old in new if known.get(old) != vocab.get(new[old], b"")]:
        old, one = wrong[0], new[wrong[0]]
        raise ValueError(
            f"{len(wrong):,} ids have other bytes than in --base (base=): {one} has "
            f"{vocab.get(one)!r:.60}, and {old} there has {known.get(old)!r:.60}; {way_out}"
        )
    return dict.fromkeys({*known, *vocab}) | new


def _model(
    model: dict[str, Any], tokenizer: Artifact, added: list[dict[str, Any]], *, moved: bool
) -> dict[str, object]:
    """Return the model with another vocabulary.

    Special tokens that were not in it stay outside, if tokenizers gives them these ids there.
    Tokens that no byte makes stay in it, unless ids moved or a new token has theirs.
    """
    whole = bool(model.get("ignore_merges") or tokenizer.whole_tokens)
    vocab, own = {**vocab_json(tokenizer, whole=whole)}, tokenizer.vocab
    if not moved:
        vocab |= {
            text: one
            for text, one in model["vocab"].items()
            if of_letters(text) is None and text not in vocab and one not in own
        }
    outside = {one["content"]: one["id"] for one in added if one["content"] not in model["vocab"]}
    inside = {text: one for text, one in vocab.items() if text not in outside}
    if [*outside.values()] == [*range(len(inside), len(vocab))]:
        vocab = inside
    parts = {"vocab": vocab, "merges": merge_lines(tokenizer)}
    return model | parts | ({"ignore_merges": True} if whole else {})


def _other_ids(content: Mapping[str, Any]) -> Iterator[str]:
    """Yield a remark on texts that have other ids in the model's folder than here."""
    nfc = any(parts_of(content.get("normalizer"), "normalizers"))
    added = [one["content"] for one in content["added_tokens"] if any(map(one.get, FLAGS[:3]))]
    texts = ["text that is not in NFC"] * nfc + [f"text beside {name!r:.42}" for name in added]
    if texts:
        yield f"other ids than in bpetite: {', '.join(texts[:_MOST_SHOWN])}"


def of_gguf(
    path: str, tokenizer: Artifact, id_map: Sequence[int | None] | None
) -> tuple[GgufBase, list[str]]:
    """Return what an export takes from the GGUF file of a model, and remarks.

    Args:
        path: the file.
        tokenizer: the tokenizer of the export.
        id_map: the id in the file of each id, or None; without it, these are equal.

    Raises:
        ValueError: the file has no byte-level BPE, or an id has other bytes in the tokenizer.
    """
    with naming(quoted(path)):
        fields = read_header(path, ("tokenizer.",))
        foreign = read_gguf(fields, Options())
    new = _new_ids(tokenizer, foreign, id_map)
    kept: dict[str, Any] = {}
    for name, value in fields.items():
        match value:
            case bool():
                kept[name] = value
            case str() | [str(), *_] if name.startswith("tokenizer.chat_template"):
                kept[name] = value
            case int() if name.endswith("_token_id") and new.get(value) is not None:
                kept[name] = new[value]
    if in_llama_cpp(pre := fields.get("tokenizer.ggml.pre"))[0] == tokenizer.pattern.name:
        kept["tokenizer.ggml.pre"] = pre
    kinds = fields["tokenizer.ggml.token_type"]
    special = {new[old]: kinds[old] for old in foreign.special_tokens.values()}
    taken = ", ".join(["kinds of tokens", *(name.rpartition(".")[2] for name in kept)])
    notes = [f"taken from {quoted(path)}: {taken}"]
    if lost := [name for name in fields if name.endswith("_token_id") and name not in kept]:
        notes.append(f"left out, as these ids have no token: {', '.join(lost)}")
    of_kinds = {one: special[one] for one in tokenizer.special_tokens.values() if one in special}
    return GgufBase(kept, of_kinds, len(kinds) if id_map is None else 0), notes
