"use strict";

/*
 * Files of tokenizers: bpetite's, and those that were trained elsewhere.
 *
 * Hugging Face's tokenizer.json, tiktoken's files of ranks, and GPT-2's vocab.json with
 * merges.txt are read if they are byte-level BPE with the pattern of GPT-2; special tokens other
 * than <|endoftext|> are left out. Every other file is refused, with the reason and a way out.
 */
const foreign = (() => {
  const inNode = typeof require === "function";
  const file = inNode ? require("./load.js") : tokenizerFile;
  const engine = inNode ? require("./bpe.js") : bpe;
  const known = inNode ? require("./patterns.js") : patterns;

  const END = file.SPECIAL_TOKEN;
  const LARGEST_ID = 2 ** 21 - 1; // as in a tokenizer file
  const SAME_PATTERNS = [
    known[file.PATTERN].text,
    String.raw`'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+`,
    String.raw`'s|'t|'re|'ve|'m|'ll|'d| ?[\p{L}]+| ?[\p{N}]+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+`,
    String.raw`'(?:[sdmt]|ll|ve|re)| ?\p{L}++| ?\p{N}++| ?[^\s\p{L}\p{N}]++|\s++$|\s+(?!\S)|\s`,
  ];
  // A file may have these, but must not use them. Their types, besides null:
  const MODEL_TYPES = {
    ...{ dropout: "number", unk_token: "string", continuing_subword_prefix: "string" },
    ...{ end_of_word_suffix: "string", fuse_unk: "boolean", byte_fallback: "boolean" },
    ignore_merges: "boolean",
  };
  const MATCHING = ["single_word", "lstrip", "rstrip"];
  const BASE64 = /^(?:[a-z0-9+/]{4})*(?:[a-z0-9+/]{2}==|[a-z0-9+/]{3}=|[a-z0-9+/]{4})$/i;

  // The printable character for each byte in the files of GPT-2 and Hugging Face.
  const LETTERS = [];
  const BYTES = new Map();
  for (let byte = 0, others = 256; byte < 256; byte++) {
    const printable = (byte > 32 && byte < 127) || (byte > 160 && byte !== 173);
    LETTERS.push(String.fromCharCode(printable ? byte : others++));
    BYTES.set(LETTERS[byte], byte);
  }

  const utf8 = new TextEncoder();
  const strictUtf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  const isMap = (value) => value instanceof Map;
  const isText = (value) => typeof value === "string" && value !== "";
  const isId = (value) => Number.isInteger(value) && value >= 0 && value <= LARGEST_ID;
  // A value in a message: a word as it is, everything else as in JSON, long ones cut.
  const shown = (value) => {
    if (typeof value !== "string") return file.short(value);
    return /^[!-~]{1,90}$/.test(value) ? value : JSON.stringify(value.slice(0, 90));
  };
  const kindOf = (part) => shown(isMap(part) ? part.get("type") : part);

  /** Throw an error with a message, which is a function where making it would take long. */
  function expect(good, message) {
    if (!good) throw new Error(typeof message === "string" ? message : message());
  }

  let turn = Promise.resolve();
  /** Let the page answer; of several files that are opened at once, one goes on. */
  const pause = () => (turn = turn.then(() => new Promise((done) => setTimeout(done, 0))));
  let until = 0; // when the page has to answer again

  /** Call a function for each item, in slices of 40 ms, so that the page answers meanwhile. */
  async function forEach(items, act) {
    for (const [place, item] of items.entries()) {
      if (performance.now() > until) {
        await pause();
        until = performance.now() + 40;
      }
      act(item, place);
    }
  }

  /**
   * Return the tokenizer in one file, or in vocab.json and merges.txt.
   *
   * files: { name, bytes } of each. Returns { tokenizer, notes }: notes say what was left out.
   * A tokenizer with ids of its own has `ids`: at position i, the id of token i in its file.
   */
  async function open(files) {
    try {
      return await opened(files);
    } catch (error) {
      const start = String.fromCharCode(...(files[0]?.bytes.subarray(0, 500) ?? []));
      const own = start.includes('"mergeable_vocab_size"');
      if (!own) error.message += ". Try `bpetite import`; this page opens its result.";
      throw error;
    }
  }

  async function opened(files) {
    const isJson = ({ name, bytes }) =>
      /\.json$/i.test(name) || bytes.find((byte) => ![9, 10, 13, 32].includes(byte)) === 123;
    const both = "choose vocab.json and merges.txt at once";
    const texts = files.filter((one) => !isJson(one));
    if (files.length === 2) {
      expect(texts.length === 1, `expected one file, or vocab.json and merges.txt; ${both}`);
      return ofPair(jsonOf(files.find(isJson).bytes), texts[0].bytes);
    }
    expect(files.length === 1, `expected one or two files, found ${files.length}`);
    const [{ bytes }] = files;
    if (texts.length) {
      const start = String.fromCharCode(...bytes.subarray(0, 8));
      expect(start !== "#version", `it has merges, but no ids; ${both}`);
      return ofRanks(bytes);
    }
    await pause();
    const content = jsonOf(bytes);
    if (isMap(content.get("model"))) return ofHuggingFace(content);
    if (content.has("schema_version")) {
      await pause(); // a large file took half a second, and takes as much again
      const found = file.check(content);
      const names = listed(found.specialTokens) || "none";
      const whole = found.tokens.length - 256 - found.merges.length;
      const notes = [`Its pattern is ${found.pattern}. Its special tokens: ${names}.`];
      if (whole) notes.push(`It has ${whole.toLocaleString("en")} whole token${whole > 1 ? "s" : ""}.`);
      return { tokenizer: new engine.Tokenizer(found.merges, found), notes };
    }
    expect(!isId(content.get("a")), `it has ids, but no merges; ${both}`);
    const known = "a tokenizer file of bpetite, a tokenizer.json of Hugging Face, ranks of tiktoken";
    throw new Error(`expected ${known}, or vocab.json with merges.txt`);
  }

  function jsonOf(bytes) {
    const content = file.parse(textOf(bytes), true);
    expect(isMap(content), "expected a JSON object");
    return content;
  }

  function textOf(bytes) {
    try {
      return strictUtf8.decode(bytes);
    } catch {
      throw new Error("expected UTF-8");
    }
  }

  /* ---- Hugging Face ---- */

  async function ofHuggingFace(content) {
    const model = content.get("model");
    const version = content.get("version");
    expect(version === undefined || version === "1.0", `its version is ${shown(version)}, not 1.0`);
    checkModel(model);
    const normalizer = content.get("normalizer") ?? null;
    const changing = normalizer === null ? [] : partsOf(normalizer, "normalizers").map(kindOf);
    expect(changing.length === 0, `its normalizer, ${changing.join(" and ")}, changes the text`);
    checkPreTokenizer(content.get("pre_tokenizer"));
    const decoder = content.get("decoder") ?? null;
    for (const part of partsOf(decoder, "decoders")) {
      const decodes = part === null || (isMap(part) && part.get("type") === "ByteLevel");
      expect(decodes, `its decoder is ${kindOf(part)}, not ByteLevel`);
    }
    partsOf(content.get("post_processor") ?? null, "processors"); // its settings, not what it adds
    const vocab = checkVocab(model.get("vocab"));
    const merges = checkMerges(model.get("merges"), vocab);
    const special = addedTokens(content.has("added_tokens") ? content.get("added_tokens") : [], vocab);
    const settings = ["truncation", "padding"].filter((name) => (content.get(name) ?? null) !== null);
    const found = await convert(vocab, merges, special, Boolean(model.get("ignore_merges")));
    found.notes.push(...settings.map((name) => `Its setting for ${name} is ignored.`));
    return found;
  }

  function checkModel(model) {
    const type = model.has("type") ? model.get("type") : "BPE";
    expect(type === "BPE", `its model is ${shown(type)}, not BPE`);
    for (const [name, wanted] of Object.entries(MODEL_TYPES)) {
      const value = model.get(name) ?? null;
      const good = value === null || typeof value === wanted || (wanted === "number" && value instanceof Number);
      expect(good, `its model has the ${name} ${shown(value)}, which tokenizers rejects`);
    }
    expect(!model.get("byte_fallback"), "its model has byte_fallback, so its tokens are characters, not bytes");
    const dropout = Number(model.get("dropout") ?? 0);
    expect(dropout === 0, "its model has a dropout, so the ids of a text are random; set it to null");
    for (const name of ["continuing_subword_prefix", "end_of_word_suffix"]) {
      expect(!model.get(name), `its model has the ${name} ${shown(model.get(name))}`);
    }
  }

  /** Return the parts of a Sequence, also of one inside another; anything else is one part. */
  function partsOf(part, name) {
    const parts = isMap(part) && part.get("type") === "Sequence" ? part.get(name) : null;
    if (Array.isArray(parts)) return parts.flatMap((one) => partsOf(one, name));
    if (isMap(part) && part.get("type") === "ByteLevel" && name !== "normalizers") checkFlags(part);
    return [part];
  }

  function checkFlags(level) {
    for (const name of ["add_prefix_space", "trim_offsets", "use_regex"]) {
      const flag = flagOf(level, name);
      const found = flag === undefined ? `lacks ${name}` : `has the ${name} ${shown(flag)}, not true or false`;
      expect(typeof flag === "boolean", `its ByteLevel ${found}`);
    }
  }

  const flagOf = (level, name) => (name === "use_regex" && !level.has(name) ? true : level.get(name));

  /** Refuse a pre-tokenizer unless GPT-2's pattern splits text, exactly once. */
  function checkPreTokenizer(whole) {
    const parts = partsOf(whole, "pretokenizers");
    const patterns = [];
    let levels = 0;
    for (const part of parts) {
      const kind = isMap(part) ? part.get("type") : null;
      const known = kind === "ByteLevel" || kind === "Split";
      expect(known, `its pre_tokenizer is ${kindOf(part)}, not ByteLevel with GPT-2's split pattern`);
      if (kind === "Split") patterns.push(patternOf(part));
      else {
        levels++;
        const adds = "its pre_tokenizer adds a space before the text; train without add_prefix_space";
        expect(!flagOf(part, "add_prefix_space"), adds);
        if (flagOf(part, "use_regex")) patterns.push(SAME_PATTERNS[0]);
      }
    }
    const kinds = parts.map(kindOf);
    const once = levels === 1 && kinds.at(-1) === "ByteLevel" && patterns.length === 1;
    const shownKinds = kinds.join(" and ") || "an empty Sequence";
    expect(once, `its pre_tokenizer, ${shownKinds}, does not split text exactly once with GPT-2's pattern`);
    expect(SAME_PATTERNS.includes(patterns[0]), "its split pattern is not GPT-2's");
  }

  /** Return the pattern of a Split that keeps every chunk. */
  function patternOf(part) {
    const pattern = part.get("pattern");
    const cut = JSON.stringify([part.get("behavior"), part.get("invert")]);
    const keeps = cut === '["Isolated",false]' || cut === '["Removed",true]';
    const regex = isMap(pattern) && pattern.size === 1 ? pattern.get("Regex") : undefined;
    return keeps ? regex : undefined;
  }

  /** Return a vocabulary, checked: distinct ids, and a token for each byte. */
  function checkVocab(vocab) {
    const good = isMap(vocab) && [...vocab.values()].every(isId);
    expect(good, `its vocabulary is not a JSON object of ids from 0 to ${LARGEST_ID}`);
    const texts = new Map();
    for (const [text, id] of vocab) {
      expect(!texts.has(id), () => `its tokens ${shown(texts.get(id))} and ${shown(text)} have the same id`);
      texts.set(id, text);
    }
    const missing = LETTERS.findIndex((letter) => !vocab.has(letter));
    const hex = `0x${missing.toString(16).padStart(2, "0")}`;
    expect(missing < 0, `it has no token for the byte ${hex}, so it cannot encode every text`);
    return vocab;
  }

  /** Return the merges, checked: each joins two earlier tokens to a new one of the vocabulary. */
  function checkMerges(merges, vocab) {
    expect(Array.isArray(merges), "its merges are not a list");
    const made = new Set(LETTERS);
    return merges.map((entry, rank) => {
      const pair = typeof entry === "string" ? entry.split(" ") : entry;
      const good = Array.isArray(pair) && pair.length === 2 && pair.every(isText);
      expect(good, () => `its merge ${rank} is not two tokens: ${shown(entry)}`);
      expect(typeof entry === typeof merges[0], () => `its merge ${rank}, ${shown(entry)}, is written in another way than merge 0`);
      for (const part of pair) {
        expect(made.has(part), () => `its merge ${rank} joins ${shown(part)}, which no earlier merge makes`);
      }
      const token = pair.join("");
      expect(!made.has(token), () => `its merge ${rank} makes ${shown(token)}, which an earlier merge made`);
      expect(vocab.has(token), () => `its merge ${rank} makes ${shown(token)}, which has no id`);
      made.add(token);
      return pair;
    });
  }

  /** Return the ids of the added tokens. tokenizers ignores the ids that the file has for them. */
  function addedTokens(added, vocab) {
    expect(Array.isArray(added), "its added_tokens are not a list");
    const special = new Map();
    const texts = new Map([...vocab].map(([text, id]) => [id, text]));
    let free = vocab.size;
    for (const token of added) {
      const [text, written] = isMap(token) ? [token.get("content"), token.get("id")] : [];
      expect(isText(text) && isId(written), `its added token ${shown(token)} lacks a content or an id`);
      for (const name of [...MATCHING, "normalized", "special"]) {
        const flag = token.get(name);
        const good = typeof flag === "boolean";
        expect(good, `its added token ${shown(text)} has the ${name} ${shown(flag)}, not true or false`);
        const changes = flag && text === END && MATCHING.includes(name);
        expect(!changes, `its special token ${END} has ${name}, so text is split differently`);
      }
      if (!special.has(text)) special.set(text, vocab.get(text) ?? free++);
      const id = special.get(text);
      expect(id === written, `its added token ${shown(text)} has the id ${written}, but tokenizers uses ${id}`);
      const taken = (texts.get(id) ?? text) !== text;
      expect(!taken, `the id of its added token ${shown(text)} contradicts another token`);
      texts.set(id, text);
    }
    const ordinary = vocab.has(END) && !special.has(END);
    const text = "so tokenizers encodes it as ordinary text";
    expect(!ordinary, `its vocabulary has ${END}, but its added_tokens do not, ${text}`);
    return special;
  }

  /* ---- GPT-2's two files, and ranks ---- */

  function ofPair(content, bytes) {
    const vocab = checkVocab(content);
    const lines = textOf(bytes).split("\n").map((line) => line.replace(/\r$/, ""));
    if (lines.at(-1) === "") lines.pop();
    if (lines[0]?.startsWith("#version")) lines.shift();
    const special = new Map(vocab.has(END) ? [[END, vocab.get(END)]] : []);
    return convert(vocab, checkMerges(lines, vocab), special, false);
  }

  /** Read lines of a token in base64 and its rank. The merges are those of tiktoken. */
  async function ofRanks(bytes) {
    const vocab = new Map();
    const taken = new Map();
    const lines = new TextDecoder("latin1").decode(bytes).split(/\r\n|\r|\n/);
    if (lines.at(-1) === "") lines.pop();
    const begins = !lines.length || /^\S+\s+\d+\s*$/.test(lines[0]);
    expect(begins, () => `it is not a tokenizer: its first line is ${shown(lines[0].slice(0, 40))}`);
    await forEach(lines, (line, place) => {
      const [word, rank, ...more] = line.split(/[ \t\v\f]+/).filter((part) => part);
      const good = !more.length && BASE64.test(word) && /^(?:0|[1-9]\d{0,8})$/.test(rank);
      const expected = "expected base64, a space and a number";
      const found = () => `on line ${place + 1}, found ${shown(line.slice(0, 40))}`;
      expect(good, () => `it is not a file of ranks: ${expected} ${found()}`);
      const token = Uint8Array.from(atob(word), (letter) => letter.charCodeAt(0));
      const letters = Array.from(token, (byte) => LETTERS[byte]).join("");
      expect(!vocab.has(letters), () => `the token ${shown(letters)} occurs a second time, on line ${place + 1}`);
      expect(!taken.has(Number(rank)), () => `the rank ${rank} occurs a second time, on line ${place + 1}`);
      vocab.set(letters, Number(rank));
      taken.set(Number(rank), token);
    });
    checkVocab(vocab);
    const ranks = [...taken.keys()].sort((one, other) => one - other);
    // One gap may be the special token's.
    const gaps = ranks.at(-1) + 1 - ranks.length;
    expect(gaps <= 1, `${gaps} ranks below ${ranks.at(-1)} have no token`);
    await forEach(ranks, (rank) => checkChunk(taken.get(rank), rank));
    const merges = await recover(ranks.map((rank) => [taken.get(rank), rank]));
    return convert(vocab, merges, new Map(), true);
  }

  /** Refuse a token that no chunk of GPT-2's pattern can contain. */
  function checkChunk(token, rank) {
    const text = chunkOf(token);
    const good = text === null || ["'l", "'v", "'r"].includes(text);
    const reason = "cannot occur in a chunk of GPT-2's pattern, so it was made with another pattern";
    expect(good || isChunk(text), () => `its token ${rank}, ${shown(text)}, ${reason}`);
  }

  function chunkOf(token) {
    try {
      return strictUtf8.decode(token);
    } catch {
      return null; // a part of a character
    }
  }

  // Other versions of Unicode may have the characters that this one lacks.
  const isChunk = (text) => engine.split(text).length === 1 || /\p{Cn}/u.test(text);

  /**
   * Return the two parts of each token of several bytes, in the order of ranks.
   *
   * They are what remains of it after all merges of lower ranks. As each earlier token was found
   * in this way, merging by pairs gives what tiktoken's merging by joined bytes gives.
   */
  async function recover(tokens) {
    const learned = new engine.Tokenizer([]);
    const letters = [...LETTERS];
    const merges = [];
    await forEach(tokens.filter(([token]) => token.length > 1), ([token, rank]) => {
      const ids = learned.mergeBytes(token);
      const parts = ids.map((id) => letters[id]);
      const reason = "is not a merge of two lower-ranked tokens";
      const left = `lower ranks leave ${parts.length} parts`;
      expect(parts.length === 2, () => `token ${rank}, ${shown(parts.join(""))}, ${reason}: ${left}`);
      learned.add(ids, token);
      letters.push(parts.join(""));
      merges.push(parts);
    });
    return merges;
  }

  /* ---- The tokenizer ---- */

  /** Return the tokenizer with the ids of bpetite, and those of its file as `ids`. */
  async function convert(vocab, merges, special, takesWholeChunks) {
    const newIds = new Map(BYTES);
    const tokenizer = new engine.Tokenizer([]);
    let size = file.write(tokenizer).length;
    await forEach(merges, (pair) => {
      const [left, right] = pair.map((part) => newIds.get(part));
      const id = tokenizer.tokens.length;
      const token = engine.join([tokenizer.tokens[left], tokenizer.tokens[right]]);
      size += engine.sizeOfMerge(left, right, id, token);
      const fits = size <= file.MOST_FILE_BYTES && id < file.MOST_TOKENS;
      expect(fits, `its tokenizer file would be larger than ${file.MOST_FILE_BYTES} bytes, the maximum`);
      newIds.set(pair.join(""), id);
      tokenizer.add([left, right], token);
    });
    const unmade = new Map([...vocab].filter(([text]) => !newIds.has(text)));
    if (takesWholeChunks) await checkWholeChunks(tokenizer, [...unmade.keys()]);
    const dropped = new Map([...unmade, ...special]);
    const taken = new Set([...vocab.values(), ...dropped.values()]);
    let end = dropped.get(END);
    if (end === undefined) for (end = 0; taken.has(end); ) end++;
    dropped.delete(END);
    const ids = Array.from(newIds.keys(), (text) => vocab.get(text));
    expect(!ids.includes(end), `its special token ${END} is also an ordinary token`);
    const names = listed([...dropped.keys()]);
    const notes = dropped.size ? [`Its special tokens ${names} are ordinary text here.`] : [];
    return { tokenizer: Object.assign(tokenizer, { ids: [...ids, end] }), notes };
  }

  /** Return the first names of special tokens, and how many more there are. */
  function listed(names) {
    const first = names.slice(0, 8).map((name) => shown(name.slice(0, 40))).join(", ");
    return names.length > 8 ? `${first} and ${names.length - 8} more` : first;
  }

  /** Refuse a tokenizer that gives a chunk the id of an equal token, if no merges make it. */
  async function checkWholeChunks(tokenizer, unmade) {
    await forEach(unmade, (text) => {
      const bytes = Array.from(text, (letter) => BYTES.get(letter));
      const chunk = bytes.includes(undefined) ? null : chunkOf(Uint8Array.from(bytes));
      const reason = () => `but with ignore_merges the chunk ${shown(chunk)} gets its id`;
      const good = !chunk || !isChunk(chunk);
      expect(good, () => `its token ${shown(text)} is not made by a merge, ${reason()}`);
    });
    await forEach(tokenizer.tokens, (token, id) => {
      expect(tokenizer.mergeBytes(token)[0] === id, `the token ${id} does not encode to itself`);
    });
  }

  return { open };
})();

if (typeof module !== "undefined") module.exports = foreign;
