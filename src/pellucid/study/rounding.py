"""How far two runs of the same numbers may be apart, relative to the numbers' size.

A kernel adds in an order that depends on how long a text is, so what is the same by the formula
differs in its last bits, and layers add such differences up.
"""

from pellucid.record.trace import Trace

ROUNDING = {"float64": 1e-12, "float32": 3e-5, "float16": 2e-2, "bfloat16": 1e-1}


def rounding(trace: Trace) -> float:
    """By the precision of the run."""
    return ROUNDING[trace.about["dtype"]]
