"""Compare with other tokenizers, convert from and to them, and a reference implementation.

>>> import tempfile
>>> from bpetite import Tokenizer
>>> from bpetite_compare import to_tiktoken
>>> with tempfile.NamedTemporaryFile() as file:
...     Tokenizer.train("ab ab ab", vocab_size=258).save(file.name, overwrite=True)
...     to_tiktoken(file.name).encode("ab ab")
[256, 257]

`bpetite_compare.reference` is a slow model to check them all against. The command
line finds the commands of this package through one entry point.
"""

from bpetite_compare._comparison import Comparison, Difference, Tokenization, compare
from bpetite_compare._export import Exported, export
from bpetite_compare._import import Imported, import_tokenizer
from bpetite_compare._letters import GPT2_BYTE_ORDER
from bpetite_compare._parity import FileDifference, Parity, parity
from bpetite_compare._report import Report, ReportRow, report
from bpetite_compare._to_tiktoken import to_tiktoken

__all__ = [
    "GPT2_BYTE_ORDER",
    "Comparison",
    "Difference",
    "Exported",
    "FileDifference",
    "Imported",
    "Parity",
    "Report",
    "ReportRow",
    "Tokenization",
    "compare",
    "export",
    "import_tokenizer",
    "parity",
    "report",
    "to_tiktoken",
]
