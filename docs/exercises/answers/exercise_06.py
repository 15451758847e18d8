"""Exercise 6: the tie rule."""

from given import Pair


def best_pair(counts: dict[Pair, int]) -> Pair:
    """Return the pair with the highest count; in a tie, the smallest pair."""
    highest = max(counts.values())
    return min(pair for pair, count in counts.items() if count == highest)
