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
 *     bpe.train(["ab 12"], 258, { pattern: "gpt4", specialTokens: ["<|user|>"] });
 *
 * Not here: the tokenizer file (load.js), the patterns (patterns.js).
 */
const bpe = (() => {
  const inNode = typeof require === "function";
  const file = inNode ? require("./load.js") : tokenizerFile;
  const known = inNode ? require("./patterns.js") : patterns;

  const CACHED_CHUNKS = 50_000;
  const MOST_PLACES = 2 ** 32;
  const GONE = -1; // in the place of an index that a merge took

  const utf8 = new TextEncoder();
  const strictUtf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

  /** Return the chunks of a text, which no merge crosses. Joined, they are the text. */
  function split(text, pattern = file.PATTERN) {
    const surrogate = text.search(/\p{Surrogate}/u);
    if (surrogate >= 0) throw new RangeError(`lone surrogate at index ${surrogate}`);
    return text.match(known[pattern].regExp) ?? [];
  }

  /** Return one number for a pair; numbers are in the order of pairs. Indexes are below 2^21. */
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
    constructor(documents, { pattern = file.PATTERN, specialTokens = [file.SPECIAL_TOKEN] } = {}) {
      if (!file.FOR_TRAINING.includes(pattern)) {
        const names = file.FOR_TRAINING.join(", ");
        throw new RangeError(`pattern must be one of ${names}, got ${file.short(pattern)}`);
      }
      this.merges = [];
      this.tokens = baseTokens();
      this.pattern = pattern;
      this.specialTokens = file.checkSpecialTokens(specialTokens);
      this.fileSize = file.write(this).length;
      this.counts = new Map();
      this.chunksWith = new Map();
      this.chunks = [];
      const chunkCounts = new Map();
      for (const document of typeof documents === "string" ? [documents] : documents) {
        for (const text of split(document, pattern)) {
          chunkCounts.set(text, (chunkCounts.get(text) ?? 0) + 1);
        }
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
      this.fileSize += sizeOfMerge(left, right, newId, token, this.specialTokens.length);
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

  /** Return how many bytes a merge adds to the file of a tokenizer with some special tokens. */
  function sizeOfMerge(left, right, newId, token, special) {
    const comma = newId > 256 ? 1 : 0;
    // The size of the vocabulary gets higher by one, and so do the ids of the special tokens.
    const digits = (number) => `${number}`.length;
    const longerSize = digits(newId + 1) - digits(newId);
    const longerIds = 2 * (digits(newId + special) - digits(newId)); // each occurs twice
    return `[${left},${right}],"${newId}":[${token}]`.length + comma + longerSize + longerIds;
  }

  /**
   * Learn merges from documents until there are `vocabSize` tokens, or no pair is left.
   *
   * options: { pattern, specialTokens }, a name and a list of texts.
   */
  function train(documents, vocabSize, options) {
    if (!Number.isInteger(vocabSize) || vocabSize < 256) {
      throw new RangeError(`vocab_size must be an integer of at least 256, got ${vocabSize}`);
    }
    const training = new Training(documents, options);
    let best;
    while (training.tokens.length < vocabSize && (best = training.best())) training.step(best.pair);
    return new Tokenizer(training.merges, training);
  }

  /**
   * Text to ids and back, with the merges and what else training or a file gives.
   *
   * Merging knows only indexes: bytes, merges, whole tokens, special tokens, in this order. They
   * are the ids, unless `ids` has the id of each index. whole: the index of each whole token. A
   * chunk that equals one becomes it before any merge; in other chunks it does not occur.
   */
  class Tokenizer {
    constructor(merges, { tokens, pattern, specialTokens, ids } = {}) {
      this.merges = merges;
      this.tokens = tokens ?? merges.reduce(withToken, baseTokens());
      this.pattern = pattern ?? file.PATTERN;
      this.specialTokens = specialTokens ?? [file.SPECIAL_TOKEN];
      const longestFirst = [...this.specialTokens].sort((one, other) => other.length - one.length);
      const names = longestFirst.map((name) => name.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&"));
      this.anySpecial = names.length ? new RegExp(`(${names.join("|")})`) : null;
      this.placeOf = new Map(this.specialTokens.map((name, place) => [name, place]));
      this.ids = ids;
      this.whole = new Map();
      for (let index = 256 + merges.length; index < this.tokens.length; index++) {
        const text = textOf(this.tokens[index]);
        if (text !== null) this.whole.set(text, index);
      }
      this.cache = new Map();
      this.rankOf = new Map();
      merges.forEach(([left, right], rank) => {
        const key = keyOf(left, right);
        if (!this.rankOf.has(key)) this.rankOf.set(key, rank); // of a pair listed twice, the first
      });
    }

    /** Return the chunks of a text; for a special token, its place among the special tokens. */
    cut(text, { ordinary = false } = {}) {
      // Odd parts are special tokens: the leftmost is found, and of those that begin there, the longest.
      const parts = this.anySpecial && !ordinary ? text.split(this.anySpecial) : [text];
      return parts.flatMap((part, place) =>
        place % 2 ? this.placeOf.get(part) : split(part, this.pattern));
    }

    /** Return the ids of a text. Every exact special token becomes its id, unless `ordinary`. */
    encode(text, options) {
      const ids = [];
      for (const part of this.cut(text, options)) {
        if (typeof part === "number") ids.push(this.idOf(this.tokens.length + part));
        else for (const id of this.idsOfChunk(part)) ids.push(id);
      }
      return ids;
    }

    /** Return the id of an index. */
    idOf(index) {
      return this.ids ? this.ids[index] : index;
    }

    idsOfChunk(chunk) {
      let ids = this.cache.get(chunk);
      if (!ids) {
        ids = this.mergeChunk(chunk).map((index) => this.idOf(index));
        if (this.cache.size === CACHED_CHUNKS) this.cache.clear();
        this.cache.set(chunk, ids);
      }
      return ids;
    }

    /**
     * Return the indexes of a chunk after the first `limit` merges.
     *
     * A merge makes an index above both of its parts, so a pair that it creates belongs to a later
     * merge. Merging the pair of the lowest rank, the leftmost of several, again and again, thus
     * gives the same indexes as a pass for every rank. A heap finds it, so that a chunk of 100 KB
     * needs no pass for each of its merges. `seen` is called with the rank of each merged pair.
     */
    mergeChunk(chunk, limit = this.merges.length, seen = () => {}) {
      const whole = this.whole.get(chunk);
      if (whole !== undefined) return [whole];
      const indexes = Array.from(utf8.encode(chunk));
      const before = indexes.map((_, place) => place - 1);
      const after = indexes.map((_, place) => place + 1);
      const rankAt = (place) => this.rankOf.get(keyOf(indexes[place], indexes[after[place]]));
      const heap = []; // of ranks and places, in one number
      const add = (place) => {
        const rank = rankAt(place);
        if (rank < limit) push(heap, rank * MOST_PLACES + place);
      };
      for (let place = 0; place < indexes.length; place++) add(place);
      while (heap.length) {
        const lowest = pop(heap);
        const rank = Math.floor(lowest / MOST_PLACES);
        const left = lowest % MOST_PLACES;
        if (rankAt(left) !== rank) continue; // an earlier merge took a part of the pair
        const right = after[left];
        indexes[left] = 256 + rank;
        indexes[right] = GONE;
        after[left] = after[right];
        before[after[left]] = left;
        add(before[left]);
        add(left);
        seen(rank);
      }
      return indexes.filter((index) => index !== GONE);
    }

    /** Return the bytes of an id, also of a special token's. */
    bytesOf(id) {
      if (this.ids) this.indexOf ??= new Map(this.ids.map((id, index) => [id, index]));
      const index = this.ids ? this.indexOf.get(id) : id;
      const special = this.specialTokens[index - this.tokens.length];
      const token = Number.isInteger(index) && (this.tokens[index] ?? (special && utf8.encode(special)));
      if (!token) {
        const last = this.tokens.length + this.specialTokens.length - 1;
        const known = this.ids ? "those of its file" : `0 to ${last}`;
        throw new RangeError(`unknown id ${id}; the ids are ${known}`);
      }
      return token;
    }

    /** Return the text of ids: their bytes, joined and decoded once, strictly. */
    decode(ids) {
      return strictUtf8.decode(join(ids.map((id) => this.bytesOf(id))));
    }

    /** Return the tokenizer file, byte for byte as bpetite saves it. */
    save() {
      return file.write(this);
    }
  }

  /** Return bytes as text, or null. */
  function textOf(bytes) {
    try {
      return strictUtf8.decode(bytes);
    } catch {
      return null; // no chunk has these bytes
    }
  }

  const withToken = (tokens, [left, right]) => {
    tokens.push(join([tokens[left], tokens[right]]));
    return tokens;
  };

  /** Add a number to a heap: a list whose item at n is at most those at 2n + 1 and 2n + 2. */
  function push(heap, value) {
    let place = heap.length;
    for (let above; place && heap[(above = (place - 1) >> 1)] > value; place = above) {
      heap[place] = heap[above];
    }
    heap[place] = value;
  }

  /** Remove the smallest number from a heap, and return it. */
  function pop(heap) {
    const smallest = heap[0];
    const value = heap.pop();
    let place = 0;
    for (let child; (child = 2 * place + 1) < heap.length; place = child) {
      if (heap[child + 1] < heap[child]) child++;
      if (heap[child] >= value) break;
      heap[place] = heap[child];
    }
    if (heap.length) heap[place] = value;
    return smallest;
  }

  /** Return the tokenizer of a tokenizer file, which is a string or a Uint8Array. */
  function load(content) {
    const found = file.check(file.parse(content));
    return new Tokenizer(found.merges, found);
  }

  return { split, train, load, Training, Tokenizer, keyOf, pairOf };
})();

if (typeof module !== "undefined") module.exports = bpe;
