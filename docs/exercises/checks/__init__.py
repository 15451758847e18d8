"""The checks of the exercises.

Each module exercise_NN lists the checks of one exercise in `CHECKS`: the cases of each function,
and its trace. The likely mistakes of all exercises are in mistakes.toml. The checks share:

    judge      finds the smallest failing case, names the likely mistake, and shows the trace
    compare    compares two results
    training   follows training merge by merge, for the traces
    learner    runs the learner's file in its own process, with a time limit
"""

from importlib.util import find_spec

if find_spec("bpetite") is None:
    message = (
        "the exercises need bpetite, which is not installed in this Python: "
        "use `uv run python`, or run `pip install ./packages/core` first"
    )
    raise SystemExit(message)
