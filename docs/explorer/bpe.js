"use strict";

/*
 * Byte-level BPE in JavaScript, with no dependencies: split, train, encode, decode.
 *
 * It gives the merges and ids of bpetite, and is written to be read. The course in docs/course
 * explains each step. In Node:
 *
 *     const bpe = require("./bpe.js");
 *     bpe.train(["ab ab ab"], 258).merges;        // [[97, 98], [32, 256]]
 *     const tokenizer = bpe.load(textOfATokenizerFile);
 *     tokenizer.decode(tokenizer.encode("ab"));   // "ab"
 *
 * Not here: the tokenizer file (load.js).
 */
const bpe = (() => {
  const file = typeof require === "function" ? require("./load.js") : tokenizerFile;

  // The 25 whitespace characters of Unicode. `\s` of JavaScript lacks U+0085 and has U+FEFF.
  const SPACES = String.raw`\t-\r \x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000`;
  const CHUNK = new RegExp(
    String.raw`'(?:[sdmt]|ll|ve|re)| ?\p{L}+| ?\p{N}+| ?[^${SPACES}\p{L}\p{N}]+` +
      `|[${SPACES}]+(?![^${SPACES}])|[${SPACES}]+`,
    "gu",
  );
  const CACHED_CHUNKS = 50_000;

  const utf8 = new TextEncoder();
  const strictUtf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

  /** Return the chunks of a text, which no merge crosses. Joined, they are the text. */
  function split(text) {
    const surrogate = text.search(/\p{Surrogate}/u);
    if (surrogate >= 0) throw new RangeError(`lone surrogate at index ${surrogate}`);
    return text.match(CHUNK) ?? [];
  }

  /** Return one number for a pair; numbers are in the order of pairs. Ids are below 2^21. */
  const keyOf = (left, right) => left * 0x200000 + right;
  const pairOf = (key) => [Math.floor(key / 0x200000), key % 0x200000];

  /** Return ids with a pair replaced wherever it occurs: left to right, without overlaps. */
  function merge(ids, [left, right], newId) {
    const merged = [];
    for (let place = 0; place < ids.length; place++) {
      if (ids[place] === left && ids[place + 1] === right) {
        merged.push(newId);
        place++; // past the right part
      } else {
        merged.push(ids[place]);
      }
    }
    return merged;
  }

  /** The bytes of the base vocabulary: the ids 0 to 255 are the bytes. */
  const baseTokens = () => Array.from({ length: 256 }, (_, byte) => Uint8Array.of(byte));

  function join(parts) {
    const joined = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
    let end = 0;
    for (const part of parts) {
      joined.set(part, end);
      end += part.length;
    }
    return joined;
  }

  /**
   * A corpus while it is learned from, one merge at a time.
   *
   * chunks: { text, count, ids } of each distinct chunk.
   * counts: how often each pair occurs, by its key. Only the chunks that contain the merged
   * pair change, so only their pairs are counted again.
   */
  class Training {
    constructor(documents) {
      this.merges = [];
      this.tokens = baseTokens();
      this.fileSize = file.write([], this.tokens).length;
      this.counts = new Map();
      this.chunksWith = new Map();
      this.chunks = [];
      const chunkCounts = new Map();
      for (const document of typeof documents === "string" ? [documents] : documents) {
        for (const text of split(document)) chunkCounts.set(text, (chunkCounts.get(text) ?? 0) + 1);
      }
      for (const [text, count] of chunkCounts) {
        const chunk = { text, count, ids: [...utf8.encode(text)] };
        this.chunks.push(chunk);
        this.addPairs(chunk, count);
      }
    }

    /** Count the pairs of a chunk `times` more; a negative number takes them away. */
    addPairs(chunk, times) {
      for (let place = 1; place < chunk.ids.length; place++) {
        const key = keyOf(chunk.ids[place - 1], chunk.ids[place]);
        const count = (this.counts.get(key) ?? 0) + times;
        if (count) this.counts.set(key, count);
        else this.counts.delete(key);
        if (!this.chunksWith.has(key)) this.chunksWith.set(key, new Set());
        this.chunksWith.get(key).add(chunk);
      }
    }

    /** Return the most frequent pair, of several the smallest: { pair, count, tied }, or null. */
    best() {
      let bestKey = Infinity;
      let highest = 0;
      let tied = 0;
      for (const [key, count] of this.counts) {
        if (count > highest) [bestKey, highest, tied] = [key, count, 1];
        else if (count === highest) [bestKey, tied] = [Math.min(key, bestKey), tied + 1];
      }
      return highest ? { pair: pairOf(bestKey), count: highest, tied } : null;
    }

    /** Merge a pair everywhere; return its new id, and each changed chunk with its ids before. */
    step(pair) {
      const newId = this.tokens.length;
      const [left, right] = pair;
      const token = join([this.tokens[left], this.tokens[right]]);
      this.fileSize += sizeOfMerge(left, right, newId, token);
      if (newId === file.MOST_TOKENS || this.fileSize > file.MOST_FILE_BYTES) {
        throw new RangeError(`vocab_size must be at most ${newId} for this corpus`);
      }
      const changes = [];
      for (const chunk of this.chunksWith.get(keyOf(left, right))) {
        const ids = merge(chunk.ids, pair, newId);
        if (ids.length === chunk.ids.length) continue; // an earlier merge took the pair
        changes.push({ chunk, before: chunk.ids });
        this.addPairs(chunk, -chunk.count);
        chunk.ids = ids;
        this.addPairs(chunk, chunk.count);
      }
      this.chunksWith.delete(keyOf(left, right));
      this.merges.push(pair);
      this.tokens.push(token);
      return { newId, changes };
    }
  }

  /** Return how many bytes a merge adds to the tokenizer file. */
  function sizeOfMerge(left, right, newId, token) {
    const comma = newId > 256 ? 1 : 0;
    const longerSize = 3 * (`${newId + 1}`.length - `${newId}`.length); // it occurs three times
    return `[${left},${right}]`.length + comma + `,"${newId}":[${token}]`.length + longerSize;
  }

  /** Learn merges from documents until there are `vocabSize` tokens, or no pair is left. */
  function train(documents, vocabSize) {
    if (!Number.isInteger(vocabSize) || vocabSize < 256) {
      throw new RangeError(`vocab_size must be an integer of at least 256, got ${vocabSize}`);
    }
    const training = new Training(documents);
    let best;
    while (training.tokens.length < vocabSize && (best = training.best())) training.step(best.pair);
    return new Tokenizer(training.merges, training.tokens);
  }

  /** Text to ids and back, with the merges and tokens that training or a file gives. */
  class Tokenizer {
    constructor(merges, tokens = merges.reduce(withToken, baseTokens())) {
      this.merges = merges;
      this.tokens = tokens;
      this.specialId = tokens.length;
      this.cache = new Map();
      this.rankOf = new Map();
      merges.forEach(([left, right], rank) => {
        const key = keyOf(left, right);
        if (!this.rankOf.has(key)) this.rankOf.set(key, rank); // of a pair listed twice, the first
      });
    }

    /** Return the ids of a text. Every exact special token becomes its id. */
    encode(text) {
      const ids = [];
      text.split(file.SPECIAL_TOKEN).forEach((part, number) => {
        if (number) ids.push(this.specialId);
        for (const chunk of split(part)) for (const id of this.idsOfChunk(chunk)) ids.push(id);
      });
      return ids;
    }

    idsOfChunk(chunk) {
      let ids = this.cache.get(chunk);
      if (!ids) {
        ids = this.mergeChunk(chunk);
        if (this.cache.size === CACHED_CHUNKS) this.cache.clear();
        this.cache.set(chunk, ids);
      }
      return ids;
    }

    /**
     * Return the ids of a chunk after the first `limit` merges.
     *
     * A merge makes an id above both of its parts, so a pair that it creates belongs to a later
     * merge. Taking the lowest rank that is present, again and again, thus gives the same ids as
     * a pass for every rank. `seen` is called with each rank and the number of its occurrences.
     */
    mergeChunk(chunk, limit = this.merges.length, seen = () => {}) {
      const ids = [...utf8.encode(chunk)];
      const rankAt = (place) => this.rankOf.get(keyOf(ids[place], ids[place + 1])) ?? Infinity;
      const ranks = ids.map((_, place) => rankAt(place)); // of each id with the one after it
      for (let rank; (rank = lowest(ranks)) < limit; ) {
        const before = ids.length;
        let to = 0;
        for (let from = 0; from < before; from++, to++) {
          const found = ranks[from] === rank;
          ids[to] = found ? 256 + rank : ids[from];
          ranks[to] = ranks[from];
          if (found) from++;
        }
        ids.length = ranks.length = to;
        ids.forEach((id, place) => {
          if (id !== 256 + rank) return;
          if (place) ranks[place - 1] = rankAt(place - 1);
          ranks[place] = rankAt(place);
        });
        seen(rank, before - to);
      }
      return ids;
    }

    /** Return the bytes of an id, also of the special token's. */
    bytesOf(id) {
      if (id === this.specialId) return utf8.encode(file.SPECIAL_TOKEN);
      const token = Number.isInteger(id) && this.tokens[id];
      if (!token) throw new RangeError(`unknown id ${id}; the ids are 0 to ${this.specialId}`);
      return token;
    }

    /** Return the text of ids: their bytes, joined and decoded once, strictly. */
    decode(ids) {
      return strictUtf8.decode(join(ids.map((id) => this.bytesOf(id))));
    }

    /** Return the tokenizer file, byte for byte as bpetite saves it. */
    save() {
      return file.write(this.merges, this.tokens);
    }
  }

  const withToken = (tokens, [left, right]) => {
    tokens.push(join([tokens[left], tokens[right]]));
    return tokens;
  };

  function lowest(ranks) {
    let rank = Infinity;
    for (const one of ranks) if (one < rank) rank = one;
    return rank;
  }

  /** Return the tokenizer of a tokenizer file, which is a string or a Uint8Array. */
  function load(content) {
    const { merges, tokens } = file.read(content);
    return new Tokenizer(merges, tokens);
  }

  return { split, train, load, Training, Tokenizer, keyOf, pairOf };
})();

if (typeof module !== "undefined") module.exports = bpe;
