"use strict";

/*
 * The tokenizer file, schema versions 1 to 4, in JavaScript: read strictly, and written.
 *
 * `check(parse(content))` refuses every file that `Tokenizer.load` refuses, and accepts every
 * other. The checks of `check` have the same order and messages too. docs/reference/artifact.md
 * describes the file and lists the checks.
 *
 * JSON.parse is not strict enough: it keeps the last of two equal keys, and reads 1.0 as 1.
 *
 * Not here: splitting, training, encoding and decoding (bpe.js), the patterns (patterns.js).
 */
const tokenizerFile = (() => {
  const known = typeof require === "function" ? require("./patterns.js") : patterns;
  const BYTES = 256;
  const MOST_TOKENS = 0x110000;
  const MOST_IDS = 2 ** 21;
  const MOST_FILE_BYTES = 64 * 1024 * 1024;
  const MOST_SPECIAL_TOKENS = 4096;
  const DEEPEST = 32;
  const SPECIAL_TOKEN = "<|endoftext|>";
  const FOR_TRAINING = Object.keys(known).filter((name) => known[name].forTraining);
  const PATTERN = FOR_TRAINING[0]; // unless another is named
  // What each schema version with ids in order can hold: which patterns, and which only special
  // token, if any.
  const VERSIONS = new Map([
    [1, { names: [PATTERN], only: SPECIAL_TOKEN }],
    [2, { names: FOR_TRAINING, only: null }],
  ]);
  const NUMBERED = [3, 4]; // the versions whose files have ids of their own; 4 has whitespace
  const RULES = [
    [/^./su, "has at least one character"],
    [/^.{1,256}$/su, "has at most 256 characters"],
    [/^\P{White_Space}+$/u, "has no whitespace, where long texts are cut"],
    [/^\P{Surrogate}+$/u, "has no lone surrogate, as UTF-8 has none"],
    [
      /[A-Za-z0-9][!-&(-/:-@[-`{-~]/,
      "has an ASCII letter or digit directly before ASCII punctuation, apostrophes aside, " +
        "so that no learned token has its bytes",
    ],
  ];
  const NOT_MIXED = [
    /^(?:\P{White_Space}+|\p{White_Space}+)$/u,
    "has no whitespace beside other characters, where long texts are cut",
  ];
  // The last rule is for tokens that are learned later.
  const RULES_OF_OTHERS = [...RULES.slice(0, 2), NOT_MIXED, RULES[3]];
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

  /* ---- Strict JSON ---- */

  /**
   * Return the JSON of a tokenizer file, which is a string or a Uint8Array; objects become Maps.
   *
   * No object may have a key twice, and every number must be an integer. Depth and number of
   * lists and objects are bounded, since a small text of brackets needs much memory.
   */
  function parse(content) {
    if (content.length > MOST_FILE_BYTES) {
      throw new Error(`the file is larger than ${MOST_FILE_BYTES} bytes, the maximum`);
    }
    const text = typeof content === "string" ? content : textOf(content);
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
      const digits = /-?(?:0|[1-9][0-9]*)/y;
      digits.lastIndex = at;
      const found = digits.exec(text);
      if (!found) fail("an integer, a string, a list or an object");
      if (found[0].length > 500) fail("an integer of a few digits");
      at = digits.lastIndex;
      return Number(found[0]) + 0; // -0 becomes 0
    }

    skipWhitespace();
    const document = value(1);
    skipWhitespace();
    if (at < text.length) fail("the end");
    return document;
  }

  function textOf(bytes) {
    try {
      return strictUtf8.decode(bytes);
    } catch {
      throw new Error("expected UTF-8");
    }
  }

  /* ---- What the JSON says ---- */

  /**
   * Return what the JSON of a tokenizer file says.
   *
   * Returns { merges, tokens, pattern, specialTokens, ids }: pairs of indexes, the bytes of each
   * index that is not special, the name of the pattern, and the special tokens, whose indexes
   * follow. Byte b has the index b, the merge at rank r makes the index 256 + r, and whole tokens
   * follow. The indexes are the ids, unless `ids` has the id of each index: from version 3 on.
   * Throws an Error with one line that says what was expected, and what was found.
   */
  function check(artifact) {
    const version = checkKeys(artifact);
    if (NUMBERED.includes(version)) return checkNumbered(artifact, version);
    const { names, only } = VERSIONS.get(version);
    const pattern = checkPattern(artifact.get("pretokenizer_pattern"), names);
    const merges = checkMerges(artifact.get("merges"), 2, "two");
    const sum = BYTES + merges.length;
    const size = checkSize(artifact.get("mergeable_vocab_size"), sum, `256 + ${merges.length} merges`);
    const vocab = artifact.get("vocab");
    const tokens = checkVocab(vocab, size);
    checkTokens(tokens, merges);
    const specialTokens = checkSpecial(artifact.get("special_tokens"), size, only);
    checkOthers(vocab, specialTokens, size);
    return checkVersion({ merges, tokens, pattern, specialTokens }, version);
  }

  /** Check the number of tokens that are not special. */
  function checkSize(size, expected, named) {
    expect(Number.isInteger(size), "mergeable_vocab_size", "an integer", size);
    expect(size === expected, "mergeable_vocab_size", `${expected} (${named})`, size);
    expect(size <= MOST_TOKENS, "mergeable_vocab_size", `at most ${MOST_TOKENS}`, size);
    return size;
  }

  /** Check that no lower version can hold the tokenizer. Return it. */
  function checkVersion(found, version) {
    const lowest = versionOf(found);
    const rule = `${lowest}, the lowest version that can hold this tokenizer`;
    expect(version === lowest, "schema_version", rule, version);
    return found;
  }

  /** Return the same for schema versions 3 and 4, whose checks have another order. */
  function checkNumbered(artifact, version) {
    const pattern = checkPattern(artifact.get("pretokenizer_pattern"), Object.keys(known));
    const triples = checkMerges(artifact.get("merges"), 3, "three");
    const tokens = checkIds(artifact.get("vocab"));
    const special = checkSpecialIds(artifact.get("special_tokens"), tokens);
    const bytes = checkDistinct(tokens, special);
    checkSize(artifact.get("mergeable_vocab_size"), tokens.size, "ids that are not special");
    const indexOf = new Map(bytes.map((id, byte) => [id, byte]));
    const merges = triples.map((triple, rank) => {
      const [left, right, id] = triple;
      const known = indexOf.has(left) && indexOf.has(right);
      if (!known) expect(false, `merges[${rank}]`, "ids of bytes or earlier merges", triple);
      const token = indexOf.has(id) ? undefined : tokens.get(id);
      const good = token && isJoined(token, tokens.get(left), tokens.get(right));
      if (!good) expect(false, `merges[${rank}]`, "an id of its own for the joined bytes", triple);
      indexOf.set(id, indexOf.size);
      return [indexOf.get(left), indexOf.get(right)];
    });
    const ids = [...indexOf.keys(), ...[...tokens.keys()].filter((id) => !indexOf.has(id))];
    const specialTokens = [...special.values()];
    const found = { merges, tokens: ids.map((id) => tokens.get(id)), pattern, specialTokens };
    return checkVersion({ ...found, ids: [...ids, ...special.keys()] }, version);
  }

  /** Check for an object with the six keys, of a known schema version. Return the version. */
  function checkKeys(artifact) {
    expect(artifact instanceof Map, "top level", "a JSON object", artifact);
    const version = artifact.get("schema_version");
    if (version === undefined) {
      throw new Error("missing key 'schema_version'; is this a bpetite tokenizer file?");
    }
    expect(Number.isInteger(version), "schema_version", "an integer", version);
    const versions = [...VERSIONS.keys(), ...NUMBERED];
    const readable = `${versions.join(" or ")}, the versions that this bpetite reads`;
    expect(versions.includes(version), "schema_version", readable, version);
    for (const key of KEYS) if (!artifact.has(key)) throw new Error(`missing key '${key}'`);
    for (const key of artifact.keys()) {
      expect(KEYS.includes(key), "top level", `only the keys ${KEYS.join(", ")}`, key);
    }
    return version;
  }

  /** Check the text of a pattern. Return its name. */
  function checkPattern(text, names) {
    expect(typeof text === "string", "pretokenizer_pattern", "a string", text);
    const found = names.find((name) => known[name].text === text);
    const expected = `the pattern ${names.join(" or ")} as bpetite writes it`;
    expect(found, "pretokenizer_pattern", expected, text);
    return found;
  }

  /** Check for a list of lists of so many non-negative integers. */
  function checkMerges(merges, length, word) {
    const isId = (value) => Number.isInteger(value) && value >= 0;
    expect(Array.isArray(merges), "merges", "a list", merges);
    merges.forEach((merge, rank) => {
      const good = Array.isArray(merge) && merge.length === length && merge.every(isId);
      if (!good) expect(false, `merges[${rank}]`, `a list of ${word} non-negative integers`, merge);
    });
    return merges;
  }

  /** Check for ids in canonical decimal, with their bytes. */
  function checkEntries(vocab) {
    expect(vocab instanceof Map, "vocab", "an object", vocab);
    for (const [key, values] of vocab) {
      expect(/^(?:0|[1-9][0-9]*)$/.test(key), "vocab", "ids in decimal as keys", key);
      const good = Array.isArray(values) && values.every(isByte);
      if (!good) expect(false, `vocab[${short(key)}]`, "a list of integers in 0..255", values);
    }
  }

  /** Check that each mergeable id is there. Return their bytes. */
  function checkVocab(vocab, size) {
    checkEntries(vocab);
    return Array.from({ length: size }, (_, id) => {
      const values = vocab.get(String(id));
      if (!values) expect(false, "vocab", `the ids 0 to ${size - 1}`, `no ${id}`);
      return new Uint8Array(values);
    });
  }

  /** Return the bytes of each id from schema version 3 on, in the order of the file. */
  function checkIds(vocab) {
    checkEntries(vocab);
    const tokens = new Map();
    for (const [key, values] of vocab) {
      const isLow = key.length < 8 && Number(key) < MOST_IDS;
      if (!isLow) expect(false, "vocab", `ids below ${MOST_IDS}`, key);
      tokens.set(Number(key), new Uint8Array(values));
    }
    return tokens;
  }

  /** Check there that each byte has an id, and that only whitespace occurs twice. Return the id of each byte. */
  function checkDistinct(tokens, special) {
    // A string of the bytes is made fast, but a long token does not fit on the stack.
    const keyOf = (token) => (token.length < 999 ? String.fromCharCode.apply(null, token) : String(token));
    const others = [...special].filter(([, text]) => !isWhitespace(text));
    const seen = new Map(others.map(([id, text]) => [keyOf(utf8.encode(text)), id]));
    for (const [id, token] of tokens) {
      if (!token.length) expect(false, `vocab['${id}']`, "at least one byte", []);
      const key = keyOf(token);
      const other = seen.get(key);
      if (other !== undefined) expect(false, `vocab['${id}']`, `other bytes than id ${other}`, token);
      seen.set(key, id);
    }
    return Array.from({ length: BYTES }, (_, byte) => {
      const id = seen.get(String.fromCharCode(byte));
      expect(tokens.has(id), "vocab", `an id with the byte [${byte}]`, "none");
      return id;
    });
  }

  const isWhitespace = (text) => /^\p{White_Space}+$/u.test(text);
  const isByte = (value) => Number.isInteger(value) && value >= 0 && value < BYTES;

  /** Check that the first 256 tokens are the bytes, and that each merge joins two lower ids. */
  function checkTokens(tokens, merges) {
    for (let id = 0; id < BYTES; id++) {
      expect(equal(tokens[id], [id]), `vocab['${id}']`, `[${id}]`, tokens[id]);
    }
    merges.forEach(([left, right], rank) => {
      const id = BYTES + rank;
      const inOrder = left < id && right < id;
      expect(inOrder, `merges[${rank}]`, `two ids below ${id}`, [left, right]);
      const good = isJoined(tokens[id], tokens[left], tokens[right]);
      expect(good, `vocab['${id}']`, `the joined bytes of ${left} and ${right}`, tokens[id]);
    });
  }

  const isJoined = (token, left, right) =>
    token.length === left.length + right.length &&
    token.every((byte, at) => byte === (at < left.length ? left[at] : right[at - left.length]));

  const equal = (some, others) =>
    some.length === others.length && some.every((byte, place) => byte === others[place]);

  /** Check the special tokens, whose ids follow. Return their texts. */
  function checkSpecial(special, size, only) {
    const good = !only || (special instanceof Map && special.size === 1 && special.has(only));
    expect(good, "special_tokens", `an object with only the key '${only}'`, special);
    checkObject(special);
    const last = size + special.size - 1;
    const range = `an id of its own from ${size} to ${last}`;
    const texts = [];
    for (const [text, id] of special) {
      const good = Number.isInteger(id) && id >= size && id <= last && !(id - size in texts);
      const expected = only ? `${size}, the first id after the mergeable ones` : range;
      if (!good) expect(false, `special_tokens[${short(text)}]`, expected, id);
      texts[id - size] = text;
    }
    return checkSpecialTokens(texts);
  }

  /** Check for an object that is not too large. */
  function checkObject(special) {
    expect(special instanceof Map, "special_tokens", "an object", special);
    const few = special.size <= MOST_SPECIAL_TOKENS;
    expect(few, "special_tokens", `at most ${MOST_SPECIAL_TOKENS} special tokens`, special.size);
  }

  /** Take the special tokens from schema version 3 on, with any ids, out of the tokens. Return their texts. */
  function checkSpecialIds(special, tokens) {
    checkObject(special);
    const texts = new Map();
    for (const [text, id] of special) {
      const good = tokens.has(id) && !texts.has(id);
      if (!good) expect(false, `special_tokens[${short(text)}]`, "an id of its own in vocab", id);
      texts.set(id, text);
    }
    const sorted = new Map([...texts].sort(([one], [other]) => one - other));
    checkSpecialTokens([...sorted.values()], RULES_OF_OTHERS);
    for (const [id, text] of sorted) {
      const token = tokens.get(id);
      if (!equal(token, utf8.encode(text))) expect(false, `vocab['${id}']`, `the bytes of ${short(text)}`, token);
      tokens.delete(id);
    }
    return sorted;
  }

  /** Check that `vocab` has the bytes of the special tokens, and no other id. */
  function checkOthers(vocab, specialTokens, size) {
    specialTokens.forEach((text, place) => {
      const token = vocab.get(String(size + place));
      const good = token && equal(token, utf8.encode(text));
      const where = `vocab['${size + place}']`;
      if (!good) expect(false, where, `the bytes of ${short(text)}`, token ?? "nothing");
    });
    const end = size + specialTokens.length;
    if (vocab.size === end) return;
    const others = [...vocab.keys()].filter((key) => Number(key) >= end);
    expect(false, "vocab", `only the ids 0 to ${end - 1}`, others.sort()[0]);
  }

  /** Return the lowest schema version that can hold such a tokenizer. */
  function versionOf({ merges, tokens, pattern, specialTokens, ids = [] }) {
    const whole = tokens.length > BYTES + merges.length;
    if (specialTokens.some(isWhitespace)) return 4;
    if (whole || !FOR_TRAINING.includes(pattern) || ids.some((id, index) => id !== index)) return 3;
    if (specialTokens.some((text) => !RULES.at(-1)[0].test(text))) return 3;
    const holds = ([, { names, only }]) =>
      names.includes(pattern) && (!only || (specialTokens.length === 1 && specialTokens[0] === only));
    return [...VERSIONS].find(holds)[0];
  }

  /* ---- The texts of special tokens ---- */

  /** Return the texts of special tokens, or throw an error with the rule that one breaks. */
  function checkSpecialTokens(texts, rules = RULES) {
    if (texts.length > MOST_SPECIAL_TOKENS) {
      const [most, found] = [MOST_SPECIAL_TOKENS, texts.length].map((count) => count.toLocaleString("en"));
      throw new Error(`special_tokens: at most ${most}, got ${found}`);
    }
    for (const text of texts) {
      const broken = rules.find(([allowed]) => !allowed.test(text));
      if (broken) throw refused(text, `a special token ${broken[1]}`, texts);
    }
    const sorted = inOrder(texts);
    sorted.slice(1).forEach((longer, place) => {
      const text = sorted[place];
      const start = short(text);
      if (longer === text) throw new Error(`special token ${start} is given twice; remove one`);
      if (longer.startsWith(text) && !isWhitespace(longer)) throw refused(longer, `it begins with the special token ${start}`, texts);
    });
    return texts;
  }

  /** Return the error for a text, with one that would work. */
  function refused(text, reason, others) {
    const words = text.replace(/[^A-Za-z0-9]+/g, "_").replace(/^_|_$/g, "").slice(0, 24);
    let better = `<|${words || "special"}|>`;
    const kept = others.filter((other) => RULES.every(([allowed]) => allowed.test(other)));
    const isTaken = (other) => other.startsWith(better) || better.startsWith(other);
    if (kept.some(isTaken)) {
      const taken = new Set(kept.map((other) => /^<\|special[0-9]+\|/.exec(other)?.[0]));
      let number = 1;
      while (taken.has(`<|special${number}|`)) number++;
      better = `<|special${number}|>`;
    }
    return new Error(`special token ${short(text)}: ${reason}; '${better}' would work`);
  }

  /** Return texts in the order of their characters, as in Python: that of their UTF-8. */
  function inOrder(texts) {
    const ofBytes = (text) => String.fromCharCode(...utf8.encode(text));
    const keyed = texts.map((text) => [ofBytes(text), text]);
    return keyed.sort(([one], [other]) => (one < other ? -1 : 1)).map(([, text]) => text);
  }

  /* ---- Messages, with values as Python writes them: they are those of bpetite ---- */

  function expect(good, where, expected, found) {
    if (good) return;
    const shown = Array.from(short(found)).slice(0, 60).join("");
    throw new Error(`${where}: expected ${expected}, found ${shown}`);
  }

  /** Return a value for a message: both ends of a text, the first four of several. */
  function short(value, depth = 2) {
    if (typeof value === "string") {
      const shown = quoted(beginning(value));
      if (Array.from(shown).length <= 40) return shown;
      const end = Array.from(value.slice(-38)).slice(-19).join("");
      const both = Array.from(quoted(beginning(value, 18) + end));
      return [...both.slice(0, 18), "...", ...both.slice(-19)].join("");
    }
    const isMap = value instanceof Map;
    if (isMap || value?.length !== undefined) {
      const items = isMap ? [...value.keys()].sort() : [...value];
      const within = (item) => short(item, depth - 1);
      const shownOf = (item) => (isMap ? `${within(item)}: ${within(value.get(item))}` : within(item));
      const shown = (depth ? items.slice(0, 4) : []).map(shownOf);
      if (shown.length < items.length) shown.push("...");
      return isMap ? `{${shown.join(", ")}}` : `[${shown.join(", ")}]`;
    }
    return { true: "True", false: "False", null: "None", undefined: "None" }[value] ?? String(value);
  }

  /** Return the first characters of a text. */
  const beginning = (text, most = 40) => Array.from(text.slice(0, 2 * most)).slice(0, most).join("");

  /** Return a text in quotes, with escapes for what cannot be seen. */
  function quoted(text) {
    const quote = text.includes("'") && !text.includes('"') ? '"' : "'";
    const escaped = text.replace(/[\\'\p{C}\p{Z}]/gu, (character) => {
      if (character === " " || (character === "'" && quote === '"')) return character;
      if ("\\'".includes(character)) return `\\${character}`;
      const code = character.codePointAt(0).toString(16);
      const [letter, digits] = code.length < 3 ? ["x", 2] : code.length < 5 ? ["u", 4] : ["U", 8];
      const named = { "\n": "\\n", "\r": "\\r", "\t": "\\t" }[character];
      return named ?? `\\${letter}${code.padStart(digits, "0")}`;
    });
    return `${quote}${escaped}${quote}`;
  }

  /* ---- Writing ---- */

  /** Return the file of a tokenizer, byte for byte as `Tokenizer.save` writes it. */
  function write(tokenizer) {
    const { merges, tokens, pattern, specialTokens } = tokenizer;
    const version = versionOf(tokenizer);
    const size = tokens.length;
    const all = [...tokens, ...specialTokens.map((text) => utf8.encode(text))];
    const ids = tokenizer.ids ?? [...all.keys()];
    const tripleOf = ([left, right], rank) => [ids[left], ids[right], ids[BYTES + rank]];
    const vocab = all.map((token, index) => [String(ids[index]), token]);
    vocab.sort(([one], [other]) => (one < other ? -1 : 1)); // as strings: "10" is before "2"
    const idOf = new Map(specialTokens.map((text, place) => [text, ids[size + place]]));
    const special = inOrder(specialTokens).map((text) => `${ascii(text)}:${idOf.get(text)}`);
    return (
      `{"mergeable_vocab_size":${size},` +
      `"merges":${JSON.stringify(NUMBERED.includes(version) ? merges.map(tripleOf) : merges)},` +
      `"pretokenizer_pattern":${JSON.stringify(known[pattern].text)},` +
      `"schema_version":${version},` +
      `"special_tokens":{${special.join(",")}},` +
      `"vocab":{${vocab.map(([id, token]) => `"${id}":[${token.join(",")}]`).join(",")}}}`
    );
  }

  /** Return a text as JSON in ASCII. */
  const ascii = (text) =>
    JSON.stringify(text).replace(/[^ -~]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);

  return {
    ...{ parse, check, write, checkSpecialTokens, short },
    ...{ MOST_FILE_BYTES, MOST_TOKENS, SPECIAL_TOKEN, FOR_TRAINING, PATTERN },
  };
})();

if (typeof module !== "undefined") module.exports = tokenizerFile;
