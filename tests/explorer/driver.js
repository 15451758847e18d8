// Answers the tests: one line of JSON for each line of JSON, [function, ...arguments].
"use strict";

const { execFileSync } = require("node:child_process");
const { createInterface } = require("node:readline");
const bpe = require("../../docs/explorer/bpe.js");
const logic = require("../../docs/explorer/logic.js");
const share = require("../../docs/explorer/share.js");

const failed = (error) => ({ error: `${error.name}: ${error.message}` });
const outcome = (task) => {
  try {
    return task();
  } catch (error) {
    return failed(error);
  }
};

const replayed = (tokenizer, text) => {
  const replay = new logic.Replay(tokenizer, text);
  const all = [...replay.tokens.keys()].map((made) => {
    const tokens = replay.blocks.flatMap((block) => replay.tokensOf(block, made));
    return {
      count: replay.tokens[made],
      ids: tokens.map(({ id }) => id),
      kinds: tokens.map(({ kind }) => kind),
      starts: Array.from({ length: replay.size }, (_, at) => replay.tokenAt(at, made).token.start),
    };
  });
  const neighbors = [...replay.tokens.keys()].map((made) => replay.neighbor(made, 1));
  return { all, neighbors, times: [...replay.times], curve: logic.curve(replay.tokens, replay.size), size: replay.size };
};

const answers = {
  version: () => process.versions,
  split: (text, pattern) => outcome(() => bpe.split(text, pattern)),
  // The chunks of all texts of up to so many characters after a start, with "|" between chunks.
  split_all: (start, characters, length, pattern) => {
    const longer = (texts) => texts.flatMap((text) => Array.from(characters, (one) => text + one));
    let texts = [start];
    let found = [];
    for (let size = 0; size <= length; size++) {
      found = found.concat(texts.map((text) => bpe.split(text, pattern).join("|")));
      texts = size < length ? longer(texts) : [];
    }
    return found;
  },
  train: (documents, size, options) =>
    outcome(() => {
      const tokenizer = bpe.train(documents, size, options);
      const again = new bpe.Training(documents, options);
      for (const pair of tokenizer.merges) again.step(pair);
      const expected_size = again.fileSize;
      return { merges: tokenizer.merges, file: tokenizer.save(), expected_size };
    }),
  // A tokenizer file in base64, as bytes and, if it is UTF-8, as text.
  load: (data, texts, lists) =>
    outcome(() => {
      const bytes = Buffer.from(data, "base64");
      const tokenizer = bpe.load(new Uint8Array(bytes));
      const again = bpe.load(bytes.toString("utf8"));
      return {
        file: again.save(),
        ids: texts.map((text) => outcome(() => tokenizer.encode(text))),
        ordinary: texts.map((text) => outcome(() => tokenizer.encode(text, { ordinary: true }))),
        decoded: lists.map((ids) => outcome(() => tokenizer.decode(ids))),
      };
    }),
  // What the page says of a file in base64.
  open: async (data) => (await logic.open(new Uint8Array(Buffer.from(data, "base64")))).notes,
  refused: (data) => {
    const bytes = Buffer.from(data, "base64");
    const text = bytes.toString("utf8");
    const refused = (content) => outcome(() => bpe.load(content) && null)?.error ?? "";
    const ofText = Buffer.from(text, "utf8").equals(bytes) ? refused(text) : refused(bytes);
    return [refused(new Uint8Array(bytes)), ofText];
  },
  found: (regExp, text) => text.match(new RegExp(regExp, "gu")).join(""),
  unassigned: (text) => Array.from(text).filter((character) => /\p{Cn}/u.test(character)),
  run: (program, cwd) => execFileSync(process.execPath, ["-e", program], { cwd, encoding: "utf8" }),
  visible: (bytes) => logic.parts(Uint8Array.from(bytes)),
  // After each number of merges: how many tokens, those of the blocks, and the one at each byte.
  replay: (merges, text, options) => replayed(new bpe.Tokenizer(merges, options), text),
  replay_file: (content, text) => replayed(bpe.load(content), text),
  // For each token of a text after some merges: where it begins, its bytes, and why it is no longer.
  why_not: (content, text, merges) => {
    const tokenizer = bpe.load(content);
    const replay = new logic.Replay(tokenizer, text);
    const tokens = replay.blocks.flatMap((block) => replay.tokensOf(block, merges));
    return tokens.map((token) => {
      const why = logic.whyNot(tokenizer, token, merges);
      return [token.start, token.bytes.length, why && [tokenizer.idOf(why.index), why.ranks]];
    });
  },
  // Of each merge in training: the pairs with the highest counts, and those whose count changes.
  lesson: (documents, size) => {
    const training = new bpe.Training(documents);
    const steps = [];
    for (let best; training.tokens.length < size && (best = training.best()); ) {
      const top = logic.topPairs(training.counts, 5);
      const { changes } = training.step(best.pair);
      steps.push({ best, top, changed: logic.countChanges(changes, training.counts, best.pair) });
    }
    return steps;
  },
  // The link to a state, what it does not contain, and the state that it describes.
  link: (state, refused) => {
    const { fragment, without } = share.link(state, {}, refused);
    return [fragment, without, share.fieldsOf(fragment)];
  },
  sha256: (data) => share.sha256(new Uint8Array(Buffer.from(data, "base64"))),
};

createInterface({ input: process.stdin }).on("line", async (line) => {
  const [name, ...rest] = JSON.parse(line);
  let answer = answers[name](...rest);
  if (answer instanceof Promise) answer = await answer.catch(failed);
  process.stdout.write(`${JSON.stringify(answer)}\n`);
});
