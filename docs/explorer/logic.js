"use strict";

/*
 * What the explorer computes, without the page: tokens as visible text, the tokenizer of a file, a
 * text after every number of merges, and the table of pairs in training.
 *
 * Not here: the algorithm (bpe.js), the tokenizer file (load.js), what is drawn (page.js).
 */
const logic = (() => {
  const inNode = typeof require === "function";
  const file = inNode ? require("./load.js") : tokenizerFile;
  const engine = inNode ? require("./bpe.js") : bpe;
  const SHOWN_NAMES = 3; // of special tokens
  const MOST_BYTES = 100 * 1024;
  const BLOCK_BYTES = 1200;
  const SHOWN_BYTES = 128; // of a token
  const SHOWN = { nodes: 160, levels: 32 }; // of a merge tree
  const SIGNS = { " ": "·", "\n": "⏎", "\t": "⇥", "\r": "␍" };
  // As on the terminal: `_BLANK` and `_JOINS_THE_LAST` of visible.py in packages/cli.
  const UNSEEN =
    /^[\p{C}\p{Z}\p{Default_Ignorable_Code_Point}\u2800\u{16fe4}\u{1d159}\u{13441}\u{13442}]$/u;
  const JOINS = /^[\p{M}\p{Emoji_Modifier}\u1160-\u11ff\ud7b0-\ud7fb]$/u;

  const utf8 = new TextEncoder();
  const strictUtf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

  /** Return why a text is not shown, in one line, or "". */
  function refusal(text) {
    if (/\p{Surrogate}/u.test(text)) return "This text contains half of a surrogate pair.";
    const size = text.length > MOST_BYTES ? text.length : utf8.encode(text).length;
    const limit = MOST_BYTES.toLocaleString("en");
    return size > MOST_BYTES ? `This text is longer than ${limit} bytes, the most shown here.` : "";
  }

  /**
   * Return bytes as parts: { shown, kind }.
   *
   * kind: "text"; "space" for whitespace and invisible characters, shown by a sign; "byte" for
   * the bytes of a character that is not complete; "rest" for what is left out of a long token.
   */
  function parts(bytes, most = SHOWN_BYTES) {
    const found = [];
    let start = 0;
    while (start < Math.min(bytes.length, most)) {
      const character = characterAt(bytes, start);
      if (character === null) {
        const some = bytes.subarray(start, (start += sizeOfPart(bytes, start)));
        found.push({ kind: "byte", shown: `‹${Array.from(some, hexOf).join("")}›` });
      } else {
        start += utf8.encode(character).length;
        if (character in SIGNS) found.push({ kind: "space", shown: SIGNS[character] });
        else if (UNSEEN.test(character)) found.push({ kind: "space", shown: codeOf(character) });
        else if (found.at(-1)?.kind === "text") found.at(-1).shown += character;
        else if (!found.length && JOINS.test(character)) found.push({ kind: "text", shown: `◌${character}` });
        else found.push({ kind: "text", shown: character });
      }
    }
    if (start < bytes.length) found.push({ kind: "rest", shown: rest(bytes, start) });
    return found;
  }

  const rest = (bytes, shown) => `… and ${(bytes.length - shown).toLocaleString("en")} bytes more`;

  function characterAt(bytes, start) {
    const first = bytes[start];
    if (first < 0x80) return String.fromCharCode(first);
    if (first < 0xc2) return null;
    const length = first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
    try {
      return strictUtf8.decode(bytes.subarray(start, start + length));
    } catch {
      return null;
    }
  }

  /** Return how many bytes, at least one, begin the character that is not complete. */
  function sizeOfPart(bytes, start) {
    const first = bytes[start];
    const length = first < 0xc2 || first > 0xf4 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
    const second = { 0xe0: [0xa0, 0xbf], 0xed: [0x80, 0x9f], 0xf0: [0x90, 0xbf], 0xf4: [0x80, 0x8f] };
    let [low, high] = second[first] ?? [0x80, 0xbf];
    let size = 1;
    for (; size < length && low <= bytes[start + size] && bytes[start + size] <= high; size++) {
      [low, high] = [0x80, 0xbf];
    }
    return size;
  }

  const hexOf = (byte) => byte.toString(16).padStart(2, "0");
  const codeOf = (character) =>
    `‹U+${character.codePointAt(0).toString(16).toUpperCase().padStart(4, "0")}›`;

  /** Return bytes in one line of visible characters. */
  const visible = (bytes) => parts(bytes).map((part) => part.shown).join("");

  /** Return bytes in hexadecimal digits, with a space between. */
  function hex(bytes, most = SHOWN_BYTES) {
    const digits = Array.from(bytes.subarray(0, most), hexOf).join(" ");
    return bytes.length > most ? `${digits} ${rest(bytes, most)}` : digits;
  }

  /**
   * Return the tokenizer of a tokenizer file, with `notes`: sentences about what it has.
   *
   * Both halves of reading take half a second for a large file, so the page answers between them.
   */
  async function open(bytes) {
    let found;
    try {
      const content = file.parse(bytes);
      await new Promise((done) => setTimeout(done, 0));
      found = file.check(content);
    } catch (error) {
      if (new TextDecoder().decode(bytes).includes('"pretokenizer_pattern"')) throw error;
      const advice = "Convert another library's tokenizer with `bpetite import`, and open the result";
      throw new Error(`it is not a tokenizer file of bpetite. ${advice}.`);
    }
    const names = found.specialTokens.map((name) => visible(utf8.encode(name)));
    const shown = names.slice(0, SHOWN_NAMES).join(", ") || "none";
    const more = names.length > SHOWN_NAMES ? ` and ${names.length - SHOWN_NAMES} more` : "";
    const notes = [`Its pattern is ${found.pattern}. Its special tokens: ${shown}${more}.`];
    const whole = found.tokens.length - 256 - found.merges.length;
    if (whole) notes.push(`It has ${whole.toLocaleString("en")} whole token${whole > 1 ? "s" : ""}.`);
    return Object.assign(new engine.Tokenizer(found.merges, found), { notes });
  }

  /**
   * A text after every number of merges.
   *
   * tokens[r]: the number of its tokens after r merges. times[r]: how often the merge of rank r
   * occurs in it. blocks: { start, chunks, bytes }, about a screen of text each: whole chunks, or
   * the tokens of one long chunk that begin in so many of its bytes.
   */
  class Replay {
    constructor(tokenizer, text, options) {
      this.tokenizer = tokenizer;
      this.size = utf8.encode(text).length;
      this.times = new Uint32Array(tokenizer.merges.length);
      this.blocks = [];
      this.cache = { merges: -1, indexes: new Map() };
      const counts = new Map();
      this.special = tokenizer.specialTokens.map((name) => utf8.encode(name));
      let withoutMerges = this.size;
      for (const chunk of tokenizer.cut(text, options)) {
        const isSpecial = typeof chunk === "number";
        const { length } = isSpecial ? this.special[chunk] : utf8.encode(chunk);
        this.add(chunk, length);
        if (isSpecial || tokenizer.whole.has(chunk)) withoutMerges -= length - 1;
        else counts.set(chunk, (counts.get(chunk) ?? 0) + 1);
      }
      for (const [chunk, count] of counts) {
        tokenizer.mergeChunk(chunk, Infinity, (rank) => {
          this.times[rank] += count;
        });
      }
      this.tokens = new Uint32Array(this.times.length + 1);
      this.tokens[0] = withoutMerges;
      this.times.forEach((times, rank) => {
        this.tokens[rank + 1] = this.tokens[rank] - times;
      });
    }

    /** Add a chunk, or the place of a special token, to the last block, or a new one; a long chunk gets blocks of its own. */
    add(chunk, length) {
      const last = this.blocks.at(-1);
      const start = last ? last.start + last.bytes : 0;
      if (length > BLOCK_BYTES) {
        for (let from = 0; from < length; from += BLOCK_BYTES) {
          const bytes = Math.min(BLOCK_BYTES, length - from);
          this.blocks.push({ start: start + from, chunks: [chunk], bytes, from });
        }
        return;
      }
      const room = String(last?.chunks.at(-1)).includes("\n") ? BLOCK_BYTES : 2 * BLOCK_BYTES;
      if (last && last.from === undefined && last.bytes < room) {
        last.chunks.push(chunk);
        last.bytes += length;
      } else {
        this.blocks.push({ start, chunks: [chunk], bytes: length });
      }
    }

    /**
     * Return the tokens that begin in a block, after some merges:
     * { id, index, kind, start, bytes, chunk, inside }.
     *
     * kind: "special token", "whole token", "byte" or "merge". inside: where it begins in the chunk.
     */
    tokensOf(block, merges) {
      if (this.cache.merges !== merges) this.cache = { merges, indexes: new Map() };
      const found = [];
      let start = block.start - (block.from ?? 0);
      const { tokenizer } = this;
      for (const chunk of block.chunks) {
        const first = start;
        const add = (id, index, kind, bytes) => {
          const inside = start - first;
          if (start >= block.start) found.push({ id, index, kind, start, bytes, chunk, inside });
          start += bytes.length;
        };
        if (typeof chunk === "number") {
          const index = tokenizer.tokens.length + chunk;
          // A tokenizer with these merges alone gives the special tokens the next ids, in order.
          const id = tokenizer.ids ? tokenizer.idOf(index) : 256 + merges + chunk;
          add(id, index, "special token", this.special[chunk]);
        } else {
          for (const index of this.indexesOf(chunk, merges)) {
            if (start >= block.start + block.bytes) break;
            add(tokenizer.idOf(index), index, kindOf(tokenizer, index), tokenizer.tokens[index]);
          }
        }
      }
      return found;
    }

    /** Return the token that contains a byte of the text, and its block: { token, block }. */
    tokenAt(at, merges) {
      let place = this.blocks.findIndex(({ start, bytes }) => start <= at && at < start + bytes);
      for (; place >= 0; place--) {
        const block = this.blocks[place];
        const token = this.tokensOf(block, merges).findLast(({ start }) => start <= at);
        if (token) return { token, block };
      }
      return null;
    }

    indexesOf(chunk, merges) {
      const { indexes } = this.cache;
      if (!indexes.has(chunk)) indexes.set(chunk, this.tokenizer.mergeChunk(chunk, merges));
      return indexes.get(chunk);
    }

    /** Return how many merges there are after the next one that changes this text, or before. */
    neighbor(merges, direction) {
      let next = merges;
      do next += direction;
      while (next > 0 && next < this.times.length && !this.times[next - 1]);
      return Math.max(0, Math.min(next, this.times.length));
    }
  }

  const keyOfBytes = (bytes) => String.fromCharCode(...bytes);

  /**
   * Return the longest token that could begin where a token does, and why it does not, or null:
   * { index, ranks }, the rank of the merge that came first, and of the one that it prevents.
   *
   * Without ranks, no merge makes it. As `bpetite show --why`, whose code is commented (why.py).
   */
  function whyNot(tokenizer, { chunk, inside, bytes, kind }, limit) {
    const { merges, tokens } = tokenizer;
    const data = utf8.encode(chunk);
    if (kind === "special token" || kind === "whole token" || data.length > BLOCK_BYTES) return null;
    tokenizer.indexOfToken ??= new Map(
      tokens.map((token, index) => [token.length > BLOCK_BYTES ? "" : keyOfBytes(token), index]).reverse());
    const has = (index) => index < 256 + limit || index >= 256 + merges.length;
    let end = data.length;
    let index;
    for (; end > inside + bytes.length; end--) {
      index = tokenizer.indexOfToken.get(keyOfBytes(data.subarray(inside, end)));
      if (has(index)) break;
    }
    if (end === inside + bytes.length) return null;
    if (index >= 256 + merges.length) return { index, ranks: [] };
    const above = new Map(); // the rank that each part of the token needs, by its place
    const add = (begin, index) => {
      if (index < 256) return;
      const [left, right] = merges[index - 256];
      const middle = begin + tokens[left].length;
      above.set(`${begin}-${middle}`, index - 256);
      above.set(`${middle}-${middle + tokens[right].length}`, index - 256);
      add(begin, left);
      add(middle, right);
    };
    add(inside, index);
    const made = new Set(); // in order
    tokenizer.mergeChunk(chunk, limit, (rank) => made.add(rank));
    for (const rank of made) {
      let last = 0;
      for (const one of tokenizer.mergeChunk(chunk, rank + 1)) {
        const begin = last;
        last += tokens[one].length;
        if (one !== 256 + rank || begin >= end || last <= inside) continue;
        const middle = begin + tokens[merges[rank][0]].length;
        const places = [`${begin}-${middle}`, `${middle}-${last}`].filter((place) => above.has(place));
        const needed = places.map((place) => above.get(place));
        const isOwn = needed.length === 2 && needed.every((other) => other === rank);
        if (!isOwn) return { index, ranks: [rank, Math.min(...needed)] };
      }
    }
    return null;
  }

  const kindOf = ({ merges }, index) =>
    index < 256 ? "byte" : index < 256 + merges.length ? "merge" : "whole token";

  /** Return points [merges, bytes per token], few enough to draw, of the tokens after every merge. */
  function curve(tokens, size, most = 400) {
    const last = tokens.length - 1;
    const count = Math.max(1, Math.min(most, last));
    return Array.from({ length: count + 1 }, (_, place) => {
      const merges = Math.round((place * last) / count);
      return [merges, tokens[merges] ? size / tokens[merges] : 1];
    });
  }

  /** Return the merge tree of an index, or the top of a large one: { index, bytes, children }. */
  function tree(tokenizer, index, most = SHOWN) {
    const node = (index) => ({ index, bytes: tokenizer.tokens[index], children: [] });
    const root = node(index);
    let nodes = 1;
    for (let level = [root], depth = 1; level.length && depth < most.levels; depth++) {
      for (const one of level) {
        if (one.index < 256 || nodes + 2 > most.nodes) continue;
        one.children = tokenizer.merges[one.index - 256].map(node);
        nodes += 2;
      }
      level = level.flatMap(({ children }) => children);
    }
    return root;
  }

  /** Return the most frequent pairs, ties by their ids: { pair, count }. */
  function topPairs(counts, most) {
    const entries = [...counts].sort((one, other) => other[1] - one[1] || one[0] - other[0]);
    return entries.slice(0, most).map(([key, count]) => ({ pair: engine.pairOf(key), count }));
  }

  /** Return the pairs whose count a merge changed, except its own: { pair, before, after }. */
  function countChanges(changes, counts, [left, right]) {
    const more = new Map();
    const add = (ids, count) => {
      for (let place = 1; place < ids.length; place++) {
        const key = engine.keyOf(ids[place - 1], ids[place]);
        more.set(key, (more.get(key) ?? 0) + count);
      }
    };
    for (const { chunk, before } of changes) {
      add(before, -chunk.count);
      add(chunk.ids, chunk.count);
    }
    more.delete(engine.keyOf(left, right));
    return [...more]
      .filter(([, change]) => change)
      .sort(([one], [other]) => one - other)
      .map(([key, change]) => {
        const after = counts.get(key) ?? 0;
        return { pair: engine.pairOf(key), before: after - change, after };
      });
  }

  return { open, Replay, curve, refusal, parts, visible, hex, tree, whyNot, topPairs, countChanges };
})();

if (typeof module !== "undefined") module.exports = logic;
