"use strict";

/*
 * Saving the page, and links to what is seen: what a link contains, and which files it needs.
 *
 * A saved page can keep tokenizer files. Each is in an element of its own, compressed and in
 * base64, and the first of these has a link, which selects them in a page without another link.
 *
 * A file is in a link by its name and the first digits of its SHA-256. A text that is too long for
 * an address is not in the link, whose field `without` names it.
 */
const share = (() => {
  const ONE_FILE = "bpetite-explorer.html";
  const LONGEST = 4000; // characters of a fragment; chats and mail programs cut longer addresses
  const LONG = ["text", "corpus"]; // fields that a link may not have room for
  const DIGITS = 16;
  const HASHES = { tokenizer: "sha256", beside: "beside-sha256" }; // the field beside each name
  // One file has its scripts inside, and saves itself as it was before they changed it, without
  // the tokenizer files.
  const isOneFile = typeof document !== "undefined" && !document.currentScript.src;
  const boxes = isOneFile ? [...document.querySelectorAll("[data-kept]")] : [];
  const kept = boxes.map((box) => ({ name: box.dataset.kept, packed: box.textContent }));
  const start = boxes[0]?.dataset.link ?? "";
  for (const box of boxes) box.remove();
  let source = isOneFile ? `<!doctype html>\n${document.documentElement.outerHTML}\n` : "";

  /* ---- Tokenizer files in the page ---- */

  /** Return bytes that went through a stream which compresses them, or the opposite. */
  async function through(bytes, stream) {
    const passed = new Blob([bytes]).stream().pipeThrough(stream);
    return new Uint8Array(await new Response(passed).arrayBuffer());
  }

  /** Return a file in base64; a browser that cannot compress leaves it as it is. */
  async function pack(bytes) {
    const packed = globalThis.CompressionStream ? await through(bytes, new CompressionStream("gzip")) : bytes;
    let letters = "";
    for (let at = 0; at < packed.length; at += 8192) {
      letters += String.fromCharCode(...packed.subarray(at, at + 8192));
    }
    return btoa(letters);
  }

  /** Return the bytes of a packed file. JSON does not begin as gzip does. */
  async function unpack(text) {
    const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
    if (bytes[0] !== 0x1f) return bytes;
    if (!globalThis.DecompressionStream) throw new Error("this browser cannot decompress it; use a newer one");
    return through(bytes, new DecompressionStream("gzip"));
  }

  /** Return the source of the one file that keeps these files, { name, bytes }, with a link to them. */
  async function page(files, link) {
    source ||= await sourceOfOneFile();
    const made = files.map(async ({ name, bytes }, place) => {
      const box = document.createElement("script");
      box.type = "text/plain"; // which no browser runs
      Object.assign(box.dataset, { kept: name }, place ? {} : { link });
      box.textContent = await pack(bytes);
      return box.outerHTML;
    });
    const all = (await Promise.all(made)).join("");
    return source.replace("</main>", (end) => end + all);
  }

  /** Return the one file, which a page in parts has as a script: from a disk, it can read no file. */
  function sourceOfOneFile() {
    return new Promise((done, failed) => {
      const script = document.createElement("script");
      script.src = "one-file.js";
      script.onload = () => done(oneFile);
      script.onerror = () => failed(new Error("one-file.js is not beside this page"));
      document.head.append(script);
    });
  }

  /* ---- SHA-256 ---- */

  const primes = [];
  for (let n = 2; primes.length < 64; n++) if (primes.every((prime) => n % prime)) primes.push(n);
  const fraction = (root) => (root % 1) * 2 ** 32;
  const CONSTANTS = Uint32Array.from(primes, (prime) => fraction(Math.cbrt(prime)));
  const turn = (word, by) => (word >>> by) | (word << (32 - by));

  /** Return the SHA-256 of bytes in hexadecimal digits. `crypto` has none on a page without TLS. */
  function sha256(bytes) {
    const state = Uint32Array.from(primes.slice(0, 8), (prime) => fraction(Math.sqrt(prime)));
    const whole = bytes.length - (bytes.length % 64);
    const end = new Uint8Array(bytes.length % 64 < 56 ? 64 : 128);
    end.set(bytes.subarray(whole));
    end[bytes.length % 64] = 0x80;
    new DataView(end.buffer).setBigUint64(end.length - 8, BigInt(bytes.length) * 8n);
    const words = new Uint32Array(64);
    for (const [part, size] of [[bytes, whole], [end, end.length]]) {
      const view = new DataView(part.buffer, part.byteOffset);
      for (let at = 0; at < size; at += 64) {
        for (let n = 0; n < 16; n++) words[n] = view.getUint32(at + 4 * n);
        mix(state, words);
      }
    }
    return Array.from(state, (word) => word.toString(16).padStart(8, "0")).join("");
  }

  /** Mix a block of 16 words into the state. */
  function mix(state, words) {
    for (let n = 16; n < 64; n++) {
      const [early, late] = [words[n - 15], words[n - 2]];
      const low = turn(early, 7) ^ turn(early, 18) ^ (early >>> 3);
      words[n] = words[n - 16] + low + words[n - 7] + (turn(late, 17) ^ turn(late, 19) ^ (late >>> 10));
    }
    let [a, b, c, d, e, f, g, h] = state;
    for (let n = 0; n < 64; n++) {
      const high = turn(e, 6) ^ turn(e, 11) ^ turn(e, 25);
      const first = (h + high + ((e & f) ^ (~e & g)) + CONSTANTS[n] + words[n]) | 0;
      const low = turn(a, 2) ^ turn(a, 13) ^ turn(a, 22);
      const second = (low + ((a & b) ^ (a & c) ^ (b & c))) | 0;
      [h, g, f, e] = [g, f, e, (d + first) | 0];
      [d, c, b, a] = [c, b, a, (first + second) | 0];
    }
    [a, b, c, d, e, f, g, h].forEach((word, n) => {
      state[n] += word;
    });
  }

  /** Return what names a file in links: the first digits of its hash. */
  const hashOf = (bytes) => sha256(bytes).slice(0, DIGITS);

  /* ---- Links ---- */

  /**
   * Return the link to what is seen: { fragment, without, needs }.
   *
   * fields: the state, with tokenizers by name. opened: tokenizers by name, of which those from a
   * file have `file`, its { name, hash }. refused: fields that no page would show.
   * without: fields that are not in the link. needs: files that its receiver has to open.
   */
  function link(fields, opened = {}, refused = []) {
    const needs = [];
    const left = { ...fields };
    for (const [role, field] of Object.entries(HASHES)) {
      const file = opened[fields[role]]?.file;
      if (!file) continue;
      Object.assign(left, { [role]: `file:${file.name}`, [field]: file.hash });
      if (needs.every(({ hash }) => hash !== file.hash)) needs.push(file);
    }
    const size = (name) => encodeURIComponent(left[name]).length;
    const long = LONG.filter((name) => left[name] !== undefined && !refused.includes(name));
    long.sort((one, other) => size(one) - size(other));
    const without = refused.filter((name) => left[name] !== undefined);
    const fragment = () => {
      const isKept = ([name, value]) => value !== undefined && !without.includes(name);
      const kept = Object.entries(left).filter(isKept);
      if (without.length) kept.push(["without", without.join(" ")]);
      return `#${new URLSearchParams(kept)}`;
    };
    while (fragment().length > LONGEST && long.length) without.push(long.pop());
    return { fragment: fragment(), without, needs };
  }

  /** Return the fields of a link from the fragment of its address. */
  const fieldsOf = (fragment) => Object.fromEntries(new URLSearchParams(fragment.slice(1)));

  /** Return the file that the fields of a link name for a tokenizer, { name, hash }, or null. */
  function fileIn(fields, role) {
    const name = fields[role] ?? "";
    return name.startsWith("file:") ? { name: name.slice(5), hash: fields[HASHES[role]] ?? "" } : null;
  }

  /** Return whether the address of a page is of use on no other machine. */
  const isLocal = ({ protocol, hostname }) =>
    !/^https?:$/.test(protocol) || /^(localhost|127\..*|\[::1\])$/.test(hostname);

  /* ---- Sentences ---- */

  const nameOf = ({ name, hash }) => `${name}${hash && ` (SHA-256 ${hash}…)`}`;

  /** Return what the sender of a link must know before copying it, or "". */
  function warning({ without, needs }) {
    const files = needs.filter(({ wanted }) => !wanted).map(({ name }) => name);
    const said = without.map((name) => `This ${name} is too long for a link: send it separately.`);
    if (files.length) said.push(`A link to this also needs your ${files.join(" and ")}, or a saved page with it.`);
    return said.join(" ");
  }

  /** Return what the receiver of a link has to open; `other` is a file that was opened instead. */
  function request(files, other) {
    if (!files.length) return "";
    const found = other ? `You opened another file, ${nameOf(other)}. ` : "";
    return `${found}This link needs ${files.map(nameOf).join(" and ")}. Open ${files.length > 1 ? "them" : "it"}, or choose another tokenizer.`;
  }

  /** Return what a link does not have, or "". */
  const missing = (without = "") =>
    without.split(" ").filter((name) => LONG.includes(name)).map((name) =>
      `The ${name} here is an example: the sender's ${name} was too long for the link.`).join(" ");

  return {
    ...{ ONE_FILE, kept, start, unpack, page, sha256, hashOf, link, fieldsOf, fileIn, isLocal },
    ...{ warning, request, missing },
  };
})();

if (typeof module !== "undefined") module.exports = share;
