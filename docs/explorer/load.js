"use strict";

/*
 * The tokenizer file, schema version 1, in JavaScript: read strictly, and written.
 *
 * `read` refuses every file that `Tokenizer.load` refuses, and accepts every other. The
 * messages and the order of the checks may differ. docs/reference/artifact.md describes the
 * file and numbers the checks.
 *
 * JSON.parse is not strict enough: it keeps the last of two equal keys, and reads 1.0 as 1.
 *
 * Not here: splitting, training, encoding and decoding (bpe.js).
 */
const tokenizerFile = (() => {
  const BYTES = 256;
  const MOST_TOKENS = 0x110000;
  const MOST_FILE_BYTES = 64 * 1024 * 1024;
  const DEEPEST = 32;
  const SPECIAL_TOKEN = "<|endoftext|>";
  const PATTERN =
    String.raw`'(?:[sdmt]|ll|ve|re)| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+`;
  const KEYS = [
    "mergeable_vocab_size",
    "merges",
    "pretokenizer_pattern",
    "schema_version",
    "special_tokens",
    "vocab",
  ];

  const utf8 = new TextEncoder();
  const strictUtf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

  /**
   * Return the merges and the tokens of a tokenizer file.
   *
   * content: the file as a string or as bytes (Uint8Array).
   * Returns { merges, tokens }: pairs of ids, and the bytes of each mergeable id.
   * Throws an Error with one line that says what was expected, and what was found.
   */
  function read(content) {
    if (content.length > MOST_FILE_BYTES) {
      throw new Error(`the file is larger than ${MOST_FILE_BYTES} bytes, the maximum`);
    }
    return check(parse(typeof content === "string" ? content : textOf(content)));
  }

  function textOf(bytes) {
    try {
      return strictUtf8.decode(bytes);
    } catch {
      throw new Error("expected UTF-8");
    }
  }

  /* ---- Steps 1 and 2: strict JSON ---- */

  /**
   * Return the value of a JSON document; objects become Maps.
   *
   * No object may have a key twice. Every number must be an integer, or, if `fractions` allows
   * others, those are instances of Number. Depth and number of lists and objects are bounded,
   * since a small text of brackets needs much memory.
   */
  function parse(text, fractions = false) {
    let at = 0;
    let lists = 0;
    let objects = 0;

    function fail(expected) {
      const found = at < text.length ? `found ${short(text.slice(at, at + 12))}` : "found the end";
      throw new Error(`expected JSON: ${expected} at offset ${at}, ${found}`);
    }

    function skipWhitespace() {
      while (" \t\n\r".includes(text.charAt(at)) && at < text.length) at++;
    }

    /** Pass over a character and the whitespace around it, or return false. */
    function take(character) {
      skipWhitespace();
      if (text.charAt(at) !== character) return false;
      at++;
      skipWhitespace();
      return true;
    }

    function value(depth) {
      if (depth > DEEPEST) fail(`brackets nested at most ${DEEPEST} deep`);
      if (take("{")) return object(depth);
      if (take("[")) return list(depth);
      if (text.charAt(at) === '"') return string();
      for (const [name, constant] of [["true", true], ["false", false], ["null", null]]) {
        if (text.startsWith(name, at)) {
          at += name.length;
          return constant;
        }
      }
      return integer();
    }

    function object(depth) {
      if (++objects > 4096) fail("fewer objects");
      const entries = new Map();
      if (take("}")) return entries;
      do {
        if (text.charAt(at) !== '"') fail("a key");
        const key = string();
        if (entries.has(key)) throw new Error(`expected distinct keys, found ${short(key)} twice`);
        if (!take(":")) fail("a colon");
        entries.set(key, value(depth + 1));
      } while (take(","));
      if (!take("}")) fail("a comma or }");
      return entries;
    }

    function list(depth) {
      // A list of an artifact takes five characters or more.
      if (++lists > 4096 + text.length / 5) fail("fewer lists");
      // Most of a file is lists of integers. JSON.parse is as strict about these, and faster.
      const end = text.indexOf("]", at);
      const inside = text.slice(at, end);
      if (end >= at && !/[^0-9,\s]/.test(inside)) {
        try {
          const items = JSON.parse(`[${inside}]`);
          if (items.includes(Infinity)) throw new Error("many digits");
          at = end;
          take("]");
          return items;
        } catch {} // it is read again below, to say what is wrong
      }
      const items = [];
      do items.push(value(depth + 1));
      while (take(","));
      if (!take("]")) fail("a comma or ]");
      return items;
    }

    function string() {
      const start = at;
      for (at++; text.charAt(at) !== '"'; at++) {
        if (at >= text.length) fail("the end of a string");
        if (text.charAt(at) === "\\") at++; // the next character is escaped
      }
      at++;
      try {
        return JSON.parse(text.slice(start, at)); // strict about escapes and control characters
      } catch {
        at = start;
        return fail("a string");
      }
    }

    function integer() {
      const digits = fractions
        ? /-?(?:0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]+)?/y
        : /-?(?:0|[1-9][0-9]*)/y;
      digits.lastIndex = at;
      const found = digits.exec(text);
      if (!found) fail("an integer, a string, a list or an object");
      const fraction = found[1] || found[2];
      if (!fraction && found[0].length > 500) fail("an integer of a few digits");
      at = digits.lastIndex;
      const value = Number(found[0]) + 0; // -0 becomes 0
      return fraction ? new Number(value) : value;
    }

    skipWhitespace();
    const document = value(1);
    skipWhitespace();
    if (at < text.length) fail("the end");
    return document;
  }

  /* ---- Steps 3 to 19: what the JSON says ---- */

  function check(artifact) {
    expect(artifact instanceof Map, "the file", "an object", artifact);
    const version = artifact.get("schema_version");
    expect(version === 1, "schema_version", "1", version);
    for (const key of KEYS) expect(artifact.has(key), "the file", `the key ${key}`, "none");
    for (const key of artifact.keys()) expect(KEYS.includes(key), "the file", "six keys", key);
    const pattern = artifact.get("pretokenizer_pattern");
    expect(pattern === PATTERN, "pretokenizer_pattern", "the pattern of GPT-2", pattern);
    const merges = checkMerges(artifact.get("merges"));
    const size = artifact.get("mergeable_vocab_size");
    const expected = BYTES + merges.length;
    expect(size === expected, "mergeable_vocab_size", `256 + ${merges.length} merges`, size);
    expect(size <= MOST_TOKENS, "mergeable_vocab_size", `at most ${MOST_TOKENS}`, size);
    const tokens = checkVocab(artifact.get("vocab"), size);
    checkBytes(tokens, merges);
    checkSpecial(artifact.get("special_tokens"), tokens.pop(), size);
    return { merges, tokens };
  }

  function checkMerges(merges) {
    expect(Array.isArray(merges), "merges", "a list", merges);
    merges.forEach((pair, rank) => {
      const good = Array.isArray(pair) && pair.length === 2 && pair.every(Number.isInteger);
      expect(good, `merges[${rank}]`, "a list of two ids", pair);
      const inOrder = pair.every((id) => id >= 0 && id < BYTES + rank);
      expect(inOrder, `merges[${rank}]`, `two ids below ${BYTES + rank}`, pair);
    });
    return merges;
  }

  /** Return the bytes of the ids 0 to size, of which the last is the special token's. */
  function checkVocab(vocab, size) {
    expect(vocab instanceof Map, "vocab", "an object", vocab);
    const tokens = [];
    for (let id = 0; id <= size; id++) {
      const values = vocab.get(String(id));
      const good = Array.isArray(values) && values.every(isByte);
      expect(good, `vocab["${id}"]`, "a list of integers from 0 to 255", values);
      tokens.push(new Uint8Array(values));
    }
    expect(vocab.size === size + 1, "vocab", `only the ids 0 to ${size}`, vocab.size);
    return tokens;
  }

  const isByte = (value) => Number.isInteger(value) && value >= 0 && value < BYTES;

  /** The ids below 256 are the bytes; the token of a merge is its two parts, joined. */
  function checkBytes(tokens, merges) {
    for (let id = 0; id < BYTES + merges.length; id++) {
      const [left, right] = merges[id - BYTES] ?? [];
      const good =
        id < BYTES ? equal(tokens[id], [id]) : isJoined(tokens[id], tokens[left], tokens[right]);
      expect(good, `vocab["${id}"]`, id < BYTES ? `[${id}]` : "the joined bytes of its two parts", tokens[id]);
    }
  }

  const isJoined = (token, left, right) =>
    token.length === left.length + right.length &&
    equal(token.subarray(0, left.length), left) &&
    equal(token.subarray(left.length), right);

  const equal = (some, others) =>
    some.length === others.length && some.every((byte, place) => byte === others[place]);

  function checkSpecial(special, token, size) {
    const one = special instanceof Map && special.size === 1;
    const good = one && special.get(SPECIAL_TOKEN) === size;
    expect(good, "special_tokens", `{"${SPECIAL_TOKEN}": ${size}}`, special);
    expect(equal(token, utf8.encode(SPECIAL_TOKEN)), `vocab["${size}"]`, "its bytes", token);
  }

  function expect(good, where, expected, found) {
    if (!good) throw new Error(`${where}: expected ${expected}, found ${short(found)}`);
  }

  /** Return a value for a message, in forty characters at most. */
  function short(value) {
    if (value === undefined) return "nothing";
    if (value instanceof Map) return "an object";
    if (typeof value === "object" && value?.length > 8) return `a list of ${value.length}`;
    if (value instanceof Uint8Array) return `[${value}]`;
    const text = JSON.stringify(value);
    return text.length > 40 ? `${text.slice(0, 37)}...` : text;
  }

  /* ---- Writing ---- */

  /** Return the file of these merges and tokens, byte for byte as `Tokenizer.save` writes it. */
  function write(merges, tokens) {
    const size = tokens.length;
    const all = [...tokens, utf8.encode(SPECIAL_TOKEN)];
    const ids = [...all.keys()].map(String).sort(); // as strings: "10" is before "2"
    return (
      `{"mergeable_vocab_size":${size},"merges":${JSON.stringify(merges)},` +
      `"pretokenizer_pattern":${JSON.stringify(PATTERN)},"schema_version":1,` +
      `"special_tokens":{"${SPECIAL_TOKEN}":${size}},` +
      `"vocab":{${ids.map((id) => `"${id}":[${all[id].join(",")}]`).join(",")}}}`
    );
  }

  return { read, parse, check, write, short, MOST_FILE_BYTES, MOST_TOKENS, SPECIAL_TOKEN };
})();

if (typeof module !== "undefined") module.exports = tokenizerFile;
