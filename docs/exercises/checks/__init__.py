"""The checks: what is asked of each exercise, and what is known of the ways to miss it.

One module for each exercise holds its cases and the misunderstandings that it knows. The rest
is shared:

    _learner   the learner's file, run in a process of its own, with an end to endless loops
    _worker    that process
    _judge     results held to those of the answer, and the first that is off
    _steps     training followed merge by merge, to say why a merge is wrong
    _words     what the messages are made of
"""

from importlib.util import find_spec

if find_spec("bpetite") is None:
    message = (
        "the exercises need bpetite, which this Python does not have: "
        "say `uv run python` in its place, or `pip install ./packages/core` first"
    )
    raise SystemExit(message)
