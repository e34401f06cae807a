"""Languages by code or by name, as the stemmers and the lemmatizer know them."""

from difflib import get_close_matches
from functools import cache

import snowballstemmer
from simplemma.strategies.dictionaries.dictionary_factory import SUPPORTED_LANGUAGES

from pellucid.errors import UsageError

# ISO 639 codes as simplemma has them; the names are Snowball's where it knows the language
NAMES = {
    "ar": "arabic",
    "ast": "asturian",
    "bg": "bulgarian",
    "ca": "catalan",
    "cs": "czech",
    "cy": "welsh",
    "da": "danish",
    "de": "german",
    "el": "greek",
    "en": "english",
    "enm": "middle english",
    "eo": "esperanto",
    "es": "spanish",
    "et": "estonian",
    "eu": "basque",
    "fa": "persian",
    "fi": "finnish",
    "fr": "french",
    "ga": "irish",
    "gd": "gaelic",
    "gl": "galician",
    "grc": "ancient greek",
    "gv": "manx",
    "hbs": "serbo-croatian",
    "he": "hebrew",
    "hi": "hindi",
    "hu": "hungarian",
    "hy": "armenian",
    "id": "indonesian",
    "is": "icelandic",
    "it": "italian",
    "ka": "georgian",
    "la": "latin",
    "lb": "luxembourgish",
    "lt": "lithuanian",
    "lv": "latvian",
    "mk": "macedonian",
    "ml": "malayalam",
    "ms": "malay",
    "nb": "norwegian",
    "ne": "nepali",
    "nl": "dutch",
    "nn": "nynorsk",
    "pl": "polish",
    "pt": "portuguese",
    "ro": "romanian",
    "ru": "russian",
    "se": "northern sami",
    "sk": "slovak",
    "sl": "slovene",
    "sq": "albanian",
    "sr": "serbian",
    "st": "sesotho",
    "sv": "swedish",
    "sw": "swahili",
    "ta": "tamil",
    "tl": "tagalog",
    "tr": "turkish",
    "uk": "ukrainian",
    "yi": "yiddish",
}
CODES = {name: code for code, name in NAMES.items()} | {"no": "nb"}
SHARED = {"nynorsk": "norwegian"}  # Snowball's Norwegian is made for both


def code(language: str) -> str:
    """The code of a language given by its code or its name."""
    said = language.lower()
    if said in NAMES:
        return said
    if said not in CODES:
        raise UsageError(f"There is no language {language!r} here; {_nearest(said)}")
    return CODES[said]


def _nearest(said: str) -> str:
    known = [*NAMES, *CODES]
    if near := get_close_matches(said, known, n=1):
        return f"did you mean {near[0]!r}?"
    return f"there are {', '.join(f'{code} ({name})' for code, name in NAMES.items())}."


@cache
def snowball(language: str) -> str | None:
    """Snowball's name for a language, if it has a stemmer for it."""
    name = NAMES[code(language)]
    name = SHARED.get(name, name)
    return name if name in snowballstemmer.algorithms() else None


@cache
def lemmas(language: str) -> str | None:
    """simplemma's code for a language, if it has a dictionary of it."""
    found = code(language)
    return found if found in SUPPORTED_LANGUAGES else None
