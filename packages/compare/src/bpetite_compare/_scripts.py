"""A text in many scripts; `import` checks its ids before saving."""

# ruff: noqa: RUF001 - letters that look alike are the point

from typing import Final

MANY_SCRIPTS: Final = """\
The quick brown fox jumps over the lazy dog. Don't they've we'll I'm she'd IT'S 'twas
  def main(argc: int) -> int:\n\treturn {"key": [0, 1.5e-3, 0xFF]}  // TODO: x += y;\r\n\r\n
12345 67 8 9,876,543.21 1/2 \u00bd \u00b2\u2083 \u2167 50% $3 \u20ac4
#tag @user a_b-c https://example.org/?q=1&r=2
Portez ce vieux whisky au juge blond qui fume.
\u00c5ngstr\u00f6m, na\u00efve, e\u0301t\u0113, \u00df, \u0130stanbul, Ti\u1ebfng Vi\u1ec7t
Jove xof! Zażółć gęślą jaźń. Příliš žluťoučký kůň. Árvíztűrő tükörfúrógép. Þórður. Ŋugi.
Съешь же ещё этих мягких французских булок. Щастям б'єш жук. Ђурађ. Җир.
Ξεσκεπάζω την ψυχοφθόρα βδελυγμία. ἐν ἀρχῇ ἦν ὁ λόγος. Ⲁⲛⲟⲕ. Բարեւ աշխարհ։ გამარჯობა.
דג סקרן שט בים. שָׁלוֹם ייִדיש. نص حكيم له سر قاطع.
فارسی اردو ۱۲۳ ١٢٣. ܫܠܡܐ. ދިވެހި. ߒߞߏ.
ऋषियों को सताने वाले। हिन्दी १२३। বাংলা ভাষা।
ਪੰਜਾਬੀ। ગુજરાતી। ଓଡ଼ିଆ।
தமிழ் மொழி. తెలుగు. ಕನ್ನಡ. മലയാളം. සිංහල.
ภาษาไทย ๑๒๓ ສະບາຍດີ မြန်မာဘာသာ ភាសាខ្មែរ བོད་སྐད།
ᠮᠣᠩᠭᠣᠯ አማርኛ ᏣᎳᎩ ᐃᓄᒃᑎᑐᑦ ᚠᚢᚦᚨᚱᚲ ꦧꦱꦗꦮ ᮘᮞ
日本語のテキスト、カタカナとひらがな。
中文文本，简体與繁體。ㄅㄆㄇ 한국어 텍스트입니다. ꆈꌠꉙ 一二三 𠮷野家
👋🏽 👩‍👩‍👧 🇩🇪 ☃️ ✓ → ∑∫√ ≤ ≠ ∞ ∀x∈ℝ 𝒳 𐍈 𓀀 ♥ … « » “ ” — ‰ ⁂
\u200b\u200d\ufeff\u00a0\u3000\u2028\x00\x1b\x7f
aaaaaaaaaaaaaaaaaaaaaaaaaa!!!!!!!!????====-----______ \t\t\t \n \n\n   \n        end  """
