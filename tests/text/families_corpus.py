"""Texts that tokenizers stumble over, and what small vocabularies are trained on."""

from unicodedata import normalize

from hypothesis import strategies

PROSE = """\
The seal slept on the ice, and the seal of the letter was broken in 1992.
She sold 1,024 shells by the river bank; the bank was muddy and its door was closed!
A mouse isn't a keyboard: they're friends, we've seen them, and I'll say so (twice).
Unbelievable misunderstandings happen; internationalisation is a word, too.
Der Hund schläft auf dem Eis, und die Straße führt über die Brücke nach Köln.
L'élève a reçu une lettre à Noël; où est-elle passée, cette forêt?
Кошка и мышь дружат, а собака спит у реки. Όλοι οι άνθρωποι γεννιούνται ελεύθεροι.
שלום עולם, מה שלומך היום? السلام عليكم ورحمة الله وبركاته، كيف حالك؟
北京是中国的首都，猫和老鼠是朋友。東京は日本の首都です。한국어를 공부합니다.
สวัสดีชาวโลก नमस्ते दुनिया, आप कैसे हैं? 👍 🙂 🇩🇪 👩‍💻 ❤️
>>fra<< <pad> code: for (int i = 0; i < 10; ++i) { x[i] = "a"; } # e=mc², 50 % – 3½ € …
"""

WORDS = [
    "a",
    "The seal slept on the ice.",
    "1,024 and 3.14159, 007; 1992!",
    "isn't we've I'LL y'all's",
    "UPPER lower MiXeD ÄÖÜ ẞ ﬁ ﬀ ĳ",
    "internationalisation" * 12,
    "x" * 150,
    "ß" * 120,
    "🙂" * 40,
    "don’t “quote” ‘this’ … — – −",
    "``these'' and ''those``",
    "a_b-c/d\\e|f@g.h#i",
    "<a href='x'>&amp;</a>",
    "e=mc² ½ ⅷ ① Ⅻ ㎏ ﷺ",
    "Straße STRASSE straße",
    "İstanbul ıI iİ",
    "ΣΊΣΥΦΟΣ σίσυφος",
    "ǅ ǆ Ǆ",
]
SPACES = [
    " lead",
    "  two lead",
    "trail ",
    "trail  ",
    "in  the   middle",
    "tab\tbed",
    "\ttab",
    "a\nb",
    "a\n\nb\n",
    "\nlead",
    "a\r\nb\rc",
    "no\u00a0break",
    "thin\u2009en\u2002em\u2003ideographic\u3000.",
    "a\u0085b\u2028c\u2029d",
    "\u1680ogham\u180emongol",
    "a \u00a0 b",
    " \t x \n ",
    "▁meta ▁▁ space▁",
    "Ġbyte Ċ level",
    "##piece ## wordpiece",
]
EMOJI = [
    "👍",
    "👍🏽 👍🏿",
    "👩‍💻 👨‍👩‍👧‍👦",
    "🇩🇪🇫🇷 🇯",
    "❤️ ❤ ☎️",
    "1️⃣ #️⃣",
    "🏴󠁧󠁢󠁥󠁮󠁧󠁿 flag",
    "a🙂b🙂",
    "🤷🏼‍♀️",
    "\U0001f9ff\U0001fae0",
]
MARKS = [
    *(
        normalize(form, "élève Ångström ñ ü tiếng Việt ế ḗ ṩ 각 か\u3099 ﬁ")
        for form in ("NFC", "NFD", "NFKD")
    ),
    "Z͑ͫ̓ͪ̂ͫ̽͏̴̙̤̞͉͚̯̞̠͍A̴̵̜̰͔ͫ͗͢L̠ͨͧͩ͘G̴̻͈͍͔̹̑͗̎̅͛́Ǫ̵̹̻̝̳͂̌̌͘!",
    "\u0301lone mark",
    "a\u0301\u0302\u0323\u0327",
    "क्षत्रिय हिन्दी",
    "ကျွန်တော်",
    "ก็ ดี้",
    "\u1100\u1161\u11a8 jamo",
    "e\u0301\u0301",
    "o\u0308\u0304",
    "q\u0307\u0323",
    "A\u030a \u212b",
]
SCRIPTS = [
    "שלום עולם!",
    "السلام عليكم",
    "abc אבג 123 دسامبر xyz",
    "\u202bRLE\u202c \u200fRLM\u200e",
    "مَرْحَبًا",
    "שָׁלוֹם",
    "北京是中国的首都。",
    "猫and老鼠",
    "東京タワー、カタカナ ﾊﾝｶｸ",
    "한국어 ㄱㄴㄷ",
    "𠮷野家 𪚥",
    "สวัสดีชาวโลก",
    "Привет, мир",
    "Ἀθῆναι",
    "ᚠᚢᚦ ᏣᎳᎩ ⠓⠑⠇ 𝔣𝔯𝔞𝔨 𝟙𝟚𝟛",
    "ｆｕｌｌ　ｗｉｄｔｈ１２３",
    "１２٣٤५६",
    "mixed: Latin кириллица 漢字 العربية 👍 end",
]
CONTROL = [
    "a\x00b",
    "\x01\x02\x1b[31mred\x7f",
    "bell\x07 back\x08",
    "\ufeffbom",
    "a\u200bb\u200cc\u200dd",
    "soft\u00adhyphen",
    "word\u2060joiner",
    "\ufffdreplaced\ufffc",
    "private\ue000\U000f0000",
    "\ufdd0non\U0001ffff",
    "a\u034fb",
    "\x0bv\x0cf",
]
SPECIAL = [
    "[CLS] x [SEP]",
    "[MASK][MASK] [mask] [PAD]x[UNK]",
    "<s>a</s> b</s>",
    "</s>",
    "</S> < /s>",
    "<pad> x <unk>y",
    "the <mask> sat",
    "the<mask>.",
    "<|endoftext|>",
    "a <|endoftext|> b<|endoftext|>c",
    "<extra_id_0> x <extra_id_99>",
    "<extra_id_100>",
    "<0x0A> <0xE2>",
    "[INST] <<SYS>> hi [/INST]",
    "<|im_start|>user\nhi<|im_end|>",
    "</s> ▁x</s>▁",
    "[ CLS ] [cls] [SEP",
    "</s>\n</s>  </s> x",
    "<unk><unk>",
    "x<pad>\u0301",
]
CORPUS = [*PROSE.splitlines(), PROSE, *WORDS, *SPACES, *EMOJI, *MARKS, *SCRIPTS, *CONTROL, *SPECIAL]

LOOKALIKES = [
    "[CLS]",
    "[MASK]",
    "<s>",
    "</s>",
    "<pad>",
    "<mask>",
    "<unk>",
    "<|endoftext|>",
    "▁",
    "Ġ",
    " ",
    "  ",
    "\n",
    "\u0301",
    "\u200d",
    "🙂",
    "👩‍💻",
    "ß",
    "ﬁ",
    "é",
    "e\u0301",
    "各",
    "ש",
    "ا",
    "\u00a0",
    "\x00",
    "##",
    "1",
    ",",
    "the",
    "Seal",
    "''",
]
TEXTS = (
    strategies.lists(
        strategies.sampled_from(LOOKALIKES) | strategies.text(max_size=6), min_size=1, max_size=8
    )
    .map("".join)
    .filter(str.strip)
)
