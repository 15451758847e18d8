"""How WordPiece and Unigram learn their tokens: the code behind 13-other-algorithms.md."""

from collections import Counter
from math import log

from toy import count_pairs, merge_pair, vocabulary


def best_score(chunks):
    pairs = count_pairs(chunks)
    ids = Counter(token_id for chunk in chunks for token_id in chunk)
    return min(pairs, key=lambda pair: (-pairs[pair] / (ids[pair[0]] * ids[pair[1]]), pair))


def train_wordpiece(chunks, vocab_size):
    chunks, merges = [list(chunk) for chunk in chunks], []
    while 256 + len(merges) < vocab_size and count_pairs(chunks):
        pair = best_score(chunks)
        chunks = [merge_pair(chunk, pair, 256 + len(merges)) for chunk in chunks]
        merges.append(pair)
    return [*vocabulary(merges).values()]


def best_cut(chunk, costs):
    best = [(0.0, [])]  # the cost and the tokens of each beginning of the chunk
    for end in range(1, len(chunk) + 1):
        starts = [start for start in range(end) if chunk[start:end] in costs]
        ways = [(best[start][0] + costs[chunk[start:end]], start) for start in starts]
        cost, start = min(ways)
        best.append((cost, [*best[start][1], chunk[start:end]]))
    return best[-1]


def costs_of(counts):
    total = sum(counts.values())
    return {token: -log(count / total) for token, count in counts.items()}


def train_unigram(chunks, vocab_size):
    parts = ((one, i, j) for one in chunks for j in range(len(one) + 1) for i in range(j))
    seen = Counter(chunk[start:end] for chunk, start, end in parts)
    counts = {bytes([value]): 0.01 for value in range(256)}  # so any text has a cut
    counts |= {part: count for part, count in seen.items() if count > 1 or len(part) == 1}
    while True:
        for _ in range(3):
            costs = costs_of(counts)
            used = Counter(token for chunk in chunks for token in best_cut(chunk, costs)[1])
            counts = {token: used[token] + 0.01 for token in counts}
        costs = costs_of(counts)
        if len(counts) <= vocab_size:
            return costs
        loss = {}
        for token in (token for token in counts if len(token) > 1):
            others = {other: cost for other, cost in costs.items() if other != token}
            loss[token] = round(sum(best_cut(chunk, others)[0] for chunk in chunks), 6)
        del counts[min(loss, key=lambda token: (loss[token], token))]
