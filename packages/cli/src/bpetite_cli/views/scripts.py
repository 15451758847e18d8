"""The scripts of a token, such as Latin or Cyrillic.

They are those of Unicode 15.1: the oldest `regex` release that bpetite accepts has them.
"""

from functools import cache
from typing import Final

import regex

OTHER: Final = "other scripts"
"""The name for scripts that are newer than the list."""

_SCRIPTS: Final = """
Adlam Ahom Anatolian_Hieroglyphs Arabic Armenian Avestan Balinese Bamum Bassa_Vah Batak Bengali
Bhaiksuki Bopomofo Brahmi Braille Buginese Buhid Canadian_Aboriginal Carian Caucasian_Albanian
Chakma Cham Cherokee Chorasmian Coptic Cuneiform Cypriot Cypro_Minoan Cyrillic Deseret
Devanagari Dives_Akuru Dogra Duployan Egyptian_Hieroglyphs Elbasan Elymaic Ethiopic Georgian
Glagolitic Gothic Grantha Greek Gujarati Gunjala_Gondi Gurmukhi Han Hangul Hanifi_Rohingya
Hanunoo Hatran Hebrew Hiragana Imperial_Aramaic Inscriptional_Pahlavi Inscriptional_Parthian
Javanese Kaithi Kannada Katakana Kawi Kayah_Li Kharoshthi Khitan_Small_Script Khmer Khojki
Khudawadi Lao Latin Lepcha Limbu Linear_A Linear_B Lisu Lycian Lydian Mahajani Makasar Malayalam
Mandaic Manichaean Marchen Masaram_Gondi Medefaidrin Meetei_Mayek Mende_Kikakui Meroitic_Cursive
Meroitic_Hieroglyphs Miao Modi Mongolian Mro Multani Myanmar Nabataean Nag_Mundari Nandinagari
Newa New_Tai_Lue Nko Nushu Nyiakeng_Puachue_Hmong Ogham Ol_Chiki Old_Hungarian Old_Italic
Old_North_Arabian Old_Permic Old_Persian Old_Sogdian Old_South_Arabian Old_Turkic Old_Uyghur
Oriya Osage Osmanya Pahawh_Hmong Palmyrene Pau_Cin_Hau Phags_Pa Phoenician Psalter_Pahlavi
Rejang Runic Samaritan Saurashtra Sharada Shavian Siddham SignWriting Sinhala Sogdian
Sora_Sompeng Soyombo Sundanese Syloti_Nagri Syriac Tagalog Tagbanwa Tai_Le Tai_Tham Tai_Viet
Takri Tamil Tangsa Tangut Telugu Thaana Thai Tibetan Tifinagh Tirhuta Toto Ugaritic Vai Vithkuqi
Wancho Warang_Citi Yezidi Yi Zanabazar_Square
"""
_NONE: Final = r"\p{Script=Common}\p{Script=Inherited}\p{Script=Unknown}"


@cache
def script_of(character: str) -> str | None:
    """Return the name of a script, or None for a character of several scripts or of none.

    >>> script_of("a"), script_of("ж"), script_of("."), script_of("ᐁ")
    ('Latin', 'Cyrillic', None, 'Canadian Aboriginal')
    """
    match = _pattern().match(character)
    return match and (match.lastgroup or OTHER).replace("_", " ")


@cache
def _pattern() -> "regex.Pattern[str]":
    """Return a pattern with a group for each script; compiling it is slow."""
    groups = [rf"(?P<{name}>\p{{Script={name}}})" for name in _SCRIPTS.split()]
    return regex.compile("|".join([*groups, f"[^{_NONE}]"]))


def kind_of(text: str | None) -> str:
    """Return the script of a text, or what else it is; None is not complete characters."""
    if text is None:
        return "parts of characters"
    scripts = set(map(script_of, text)) - {None}
    if scripts:
        return str(*scripts) if len(scripts) == 1 else "several scripts"
    if any(map(str.isnumeric, text)):
        return "numbers"
    if text.isspace():
        return "whitespace"
    if any(map(str.isprintable, text)):
        return "punctuation and symbols"
    return "unprintable characters"
