"use strict";

/*
 * Saving the page, and links to what is seen: what a link contains, and which files it needs.
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
  // One file has its scripts inside, and saves itself as it was before they changed it.
  const isOneFile = typeof document !== "undefined" && !document.currentScript.src;
  const source = isOneFile ? `<!doctype html>\n${document.documentElement.outerHTML}\n` : "";

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

  /** Return the hash of the files of one tokenizer, in any order: the first digits of each. */
  async function hashOf(files) {
    const hex = (buffer) => Array.from(new Uint8Array(buffer), (byte) => byte.toString(16).padStart(2, "0"));
    const { subtle } = globalThis.crypto ?? {};
    const hashes = files.map(async ({ bytes }) =>
      subtle ? hex(await subtle.digest("SHA-256", bytes)).join("") : sha256(bytes));
    return (await Promise.all(hashes)).map((hash) => hash.slice(0, DIGITS)).sort().join("-");
  }

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

  /** Return the file that the fields of a link name for a tokenizer, { name, hash }, or null. */
  function fileIn(fields, role) {
    const name = fields[role] ?? "";
    return name.startsWith("file:") ? { name: name.slice(5), hash: fields[HASHES[role]] ?? "" } : null;
  }

  /** Return whether the address of a page is of use on no other machine. */
  const isLocal = ({ protocol, hostname }) =>
    !/^https?:$/.test(protocol) || /^(localhost|127\..*|\[::1\])$/.test(hostname);

  /* ---- Sentences ---- */

  const nameOf = ({ name, hash }) => `${name}${hash && ` (SHA-256 ${hash.replaceAll("-", ", ")}…)`}`;

  /** Return what the sender of a link must know before copying it, or "". */
  function warning({ without, needs }) {
    const files = needs.filter(({ wanted }) => !wanted).map(({ name }) => name);
    const said = without.map((name) => `This ${name} is too long for a link: send it separately.`);
    if (files.length) said.push(`A link to this also needs your ${files.join(" and ")}.`);
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
    ...{ ONE_FILE, isOneFile, source, sha256, hashOf, link, fileIn, isLocal },
    ...{ warning, request, missing },
  };
})();

if (typeof module !== "undefined") module.exports = share;
