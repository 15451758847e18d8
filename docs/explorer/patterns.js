"use strict";

// Made by scripts/generate: each split pattern, as tokenizer files have it and as a regular
// expression. `\s` of JavaScript lacks U+0085 and has U+FEFF. Not every engine knows (?i:...),
// so a letter is a set of all characters that `regex` takes for it: s becomes [sS\u017f].
// Only files from schema version 3 on have the patterns that are not for training.
const patterns = {
  "gpt2": {
    text: "'(?:[sdmt]|ll|ve|re)| ?\\p{L}+| ?\\p{N}+| ?[^\\s\\p{L}\\p{N}]+|\\s+(?!\\S)|\\s+",
    regExp: /'(?:[sdmt]|ll|ve|re)| ?\p{L}+| ?\p{N}+| ?[^\p{White_Space}\p{L}\p{N}]+|\p{White_Space}+(?!\P{White_Space})|\p{White_Space}+/gu,
    forTraining: true,
  },
  "gpt4": {
    text: "(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|\\p{N}{1,3}| ?[^\\s\\p{L}\\p{N}]+[\\r\\n]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+",
    regExp: /(?:'[sS\u017f]|'[tT]|'[rR][eE]|'[vV][eE]|'[mM]|'[lL][lL]|'[dD])|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\p{White_Space}\p{L}\p{N}]+[\r\n]*|\p{White_Space}*[\r\n]+|\p{White_Space}+(?!\P{White_Space})|\p{White_Space}+/gu,
    forTraining: true,
  },
  "gpt4o": {
    text: "[^\\r\\n\\p{L}\\p{N}]?[\\p{Lu}\\p{Lt}\\p{Lm}\\p{Lo}\\p{M}]*[\\p{Ll}\\p{Lm}\\p{Lo}\\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?|[^\\r\\n\\p{L}\\p{N}]?[\\p{Lu}\\p{Lt}\\p{Lm}\\p{Lo}\\p{M}]+[\\p{Ll}\\p{Lm}\\p{Lo}\\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?|\\p{N}{1,3}| ?[^\\s\\p{L}\\p{N}]+[\\r\\n/]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+",
    regExp: /[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?:'[sS\u017f]|'[tT]|'[rR][eE]|'[vV][eE]|'[mM]|'[lL][lL]|'[dD])?|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?:'[sS\u017f]|'[tT]|'[rR][eE]|'[vV][eE]|'[mM]|'[lL][lL]|'[dD])?|\p{N}{1,3}| ?[^\p{White_Space}\p{L}\p{N}]+[\r\n\/]*|\p{White_Space}*[\r\n]+|\p{White_Space}+(?!\P{White_Space})|\p{White_Space}+/gu,
    forTraining: true,
  },
  "qwen2": {
    text: "(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|\\p{N}| ?[^\\s\\p{L}\\p{N}]+[\\r\\n]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+",
    regExp: /(?:'[sS\u017f]|'[tT]|'[rR][eE]|'[vV][eE]|'[mM]|'[lL][lL]|'[dD])|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\p{White_Space}\p{L}\p{N}]+[\r\n]*|\p{White_Space}*[\r\n]+|\p{White_Space}+(?!\P{White_Space})|\p{White_Space}+/gu,
    forTraining: true,
  },
  "nanochat": {
    text: "(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|\\p{N}{1,2}| ?[^\\s\\p{L}\\p{N}]+[\\r\\n]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+",
    regExp: /(?:'[sS\u017f]|'[tT]|'[rR][eE]|'[vV][eE]|'[mM]|'[lL][lL]|'[dD])|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,2}| ?[^\p{White_Space}\p{L}\p{N}]+[\r\n]*|\p{White_Space}*[\r\n]+|\p{White_Space}+(?!\P{White_Space})|\p{White_Space}+/gu,
    forTraining: true,
  },
  "tekken": {
    text: "[^\\r\\n\\p{L}\\p{N}]?[\\p{Lu}\\p{Lt}\\p{Lm}\\p{Lo}\\p{M}]*[\\p{Ll}\\p{Lm}\\p{Lo}\\p{M}]+|[^\\r\\n\\p{L}\\p{N}]?[\\p{Lu}\\p{Lt}\\p{Lm}\\p{Lo}\\p{M}]+[\\p{Ll}\\p{Lm}\\p{Lo}\\p{M}]*|\\p{N}| ?[^\\s\\p{L}\\p{N}]+[\\r\\n/]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+",
    regExp: /[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*|\p{N}| ?[^\p{White_Space}\p{L}\p{N}]+[\r\n\/]*|\p{White_Space}*[\r\n]+|\p{White_Space}+(?!\P{White_Space})|\p{White_Space}+/gu,
    forTraining: false,
  },
  "deepseek3": {
    text: "\\p{N}{1,3}|[\\u3040\\u3097\\u3098]?(?:(?=[\\u4E00-\\u9FA5\\u3040-\\u30FF])[\\p{L}\\p{M}])+|(?:(?=[\\u4E00-\\u9FA5\\u3040-\\u30FF])[\\p{P}\\p{S}])+|[\\u3040\\u3097\\u3098]+(?=[\\u3040\\u3097\\u3098](?:(?=[\\u4E00-\\u9FA5\\u3040-\\u30FF])[\\p{L}\\p{M}]))|[\\u3040\\u3097\\u3098]+|[!-/:-@\\[-`{-~][A-Za-z]+|[^\\r\\n\\p{L}\\p{P}\\p{S}\\p{N}\\u4E00-\\u9FA5\\u3040-\\u30FF]?(?:(?![\\u4E00-\\u9FA5\\u3040-\\u30FF])[\\p{L}\\p{M}])+| ?(?:(?![\\u4E00-\\u9FA5\\u3040-\\u30FF])[\\p{P}\\p{S}])+[\\r\\n]*|\\s*[\\r\\n]+|\\s+(?![^\\s\\p{N}\\u4E00-\\u9FA5\\u3040-\\u30FF])|\\s+|[^\\s\\p{L}\\p{M}\\p{N}\\p{P}\\p{S}\\u4E00-\\u9FA5\\u3040-\\u30FF]+(?=[^\\s\\p{L}\\p{M}\\p{N}\\p{P}\\p{S}\\u4E00-\\u9FA5\\u3040-\\u30FF](?:(?![\\u4E00-\\u9FA5\\u3040-\\u30FF])[\\p{L}\\p{M}]))|[^\\s\\p{L}\\p{M}\\p{N}\\p{P}\\p{S}\\u4E00-\\u9FA5\\u3040-\\u30FF]+",
    regExp: /\p{N}{1,3}|[\u3040\u3097\u3098]?(?:(?=[\u4E00-\u9FA5\u3040-\u30FF])[\p{L}\p{M}])+|(?:(?=[\u4E00-\u9FA5\u3040-\u30FF])[\p{P}\p{S}])+|[\u3040\u3097\u3098]+(?=[\u3040\u3097\u3098](?:(?=[\u4E00-\u9FA5\u3040-\u30FF])[\p{L}\p{M}]))|[\u3040\u3097\u3098]+|[!-\/:-@\[-`{-~][A-Za-z]+|[^\r\n\p{L}\p{P}\p{S}\p{N}\u4E00-\u9FA5\u3040-\u30FF]?(?:(?![\u4E00-\u9FA5\u3040-\u30FF])[\p{L}\p{M}])+| ?(?:(?![\u4E00-\u9FA5\u3040-\u30FF])[\p{P}\p{S}])+[\r\n]*|\p{White_Space}*[\r\n]+|\p{White_Space}+(?![^\p{White_Space}\p{N}\u4E00-\u9FA5\u3040-\u30FF])|\p{White_Space}+|[^\p{White_Space}\p{L}\p{M}\p{N}\p{P}\p{S}\u4E00-\u9FA5\u3040-\u30FF]+(?=[^\p{White_Space}\p{L}\p{M}\p{N}\p{P}\p{S}\u4E00-\u9FA5\u3040-\u30FF](?:(?![\u4E00-\u9FA5\u3040-\u30FF])[\p{L}\p{M}]))|[^\p{White_Space}\p{L}\p{M}\p{N}\p{P}\p{S}\u4E00-\u9FA5\u3040-\u30FF]+/gu,
    forTraining: false,
  },
  "qwen3.5": {
    text: "(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\\r\\n\\p{L}\\p{N}]?[\\p{L}\\p{M}]+|\\p{N}| ?[^\\s\\p{L}\\p{M}\\p{N}]+[\\r\\n]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+",
    regExp: /(?:'[sS\u017f]|'[tT]|'[rR][eE]|'[vV][eE]|'[mM]|'[lL][lL]|'[dD])|[^\r\n\p{L}\p{N}]?[\p{L}\p{M}]+|\p{N}| ?[^\p{White_Space}\p{L}\p{M}\p{N}]+[\r\n]*|\p{White_Space}*[\r\n]+|\p{White_Space}+(?!\P{White_Space})|\p{White_Space}+/gu,
    forTraining: false,
  },
  "starcoder": {
    text: "\\p{N}|'(?:[sdmt]|ll|ve|re)| ?\\p{L}+| ?[^\\s\\p{L}\\p{N}]+|\\s+(?![^\\s\\p{N}])|\\s+",
    regExp: /\p{N}|'(?:[sdmt]|ll|ve|re)| ?\p{L}+| ?[^\p{White_Space}\p{L}\p{N}]+|\p{White_Space}+(?![^\p{White_Space}\p{N}])|\p{White_Space}+/gu,
    forTraining: false,
  },
  "kimi": {
    text: "\\p{Han}+|[^\\r\\n\\p{L}\\p{N}]?[^\\p{Ll}\\p{N}\\p{P}\\p{S}\\p{Z}\\p{C}\\p{Han}]*[^\\p{Lu}\\p{Lt}\\p{N}\\p{P}\\p{S}\\p{Z}\\p{C}\\p{Han}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?|[^\\r\\n\\p{L}\\p{N}]?[^\\p{Ll}\\p{N}\\p{P}\\p{S}\\p{Z}\\p{C}\\p{Han}]+[^\\p{Lu}\\p{Lt}\\p{N}\\p{P}\\p{S}\\p{Z}\\p{C}\\p{Han}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?|\\p{N}{1,3}| ?[^\\s\\p{L}\\p{N}]+[\\r\\n]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+",
    regExp: /\p{Script=Han}+|[^\r\n\p{L}\p{N}]?[^\p{Ll}\p{N}\p{P}\p{S}\p{Z}\p{C}\p{Script=Han}]*[^\p{Lu}\p{Lt}\p{N}\p{P}\p{S}\p{Z}\p{C}\p{Script=Han}]+(?:'[sS\u017f]|'[tT]|'[rR][eE]|'[vV][eE]|'[mM]|'[lL][lL]|'[dD])?|[^\r\n\p{L}\p{N}]?[^\p{Ll}\p{N}\p{P}\p{S}\p{Z}\p{C}\p{Script=Han}]+[^\p{Lu}\p{Lt}\p{N}\p{P}\p{S}\p{Z}\p{C}\p{Script=Han}]*(?:'[sS\u017f]|'[tT]|'[rR][eE]|'[vV][eE]|'[mM]|'[lL][lL]|'[dD])?|\p{N}{1,3}| ?[^\p{White_Space}\p{L}\p{N}]+[\r\n]*|\p{White_Space}*[\r\n]+|\p{White_Space}+(?!\P{White_Space})|\p{White_Space}+/gu,
    forTraining: false,
  },
};

if (typeof module !== "undefined") module.exports = patterns;
