"""Reading a checkpoint's tokenizer, in whichever files it comes."""

from pathlib import Path

import tokenizers

from pellucid.errors import PellucidError
from pellucid.text.families import BY_FAMILY, BY_NAME, RECIPES, USUAL, marian
from pellucid.text.families.plain import PLAIN
from pellucid.text.folder import Folder, add_tokens
from pellucid.text.recipe import Recipe, Special
from pellucid.text.tokenizer import Tokenizer

WHOLE = "tokenizer.json"
Files = tuple[str, ...]


class NoTokenizer(PellucidError):
    """The files are not there; a model can do without them as long as it gets ids."""


def load_tokenizer(path: Path) -> Tokenizer:
    """The tokenizer in a folder; its ids are those of the fast one in `transformers`.

    tokenizer.json is taken as it is, but for what the settings beside it say. Otherwise it is
    put together as the class that the folder names would be, of vocab.txt, of vocab.json and
    merges.txt, or of a SentencePiece model. (Release 5 of `transformers` puts it together even
    where tokenizer.json is there, and loses what the class does not know: of SmolLM2, that digits
    stand alone.)
    """
    folder = Folder.of(path)
    try:
        return _read(folder)
    except PellucidError:
        raise
    except Exception as error:  # the library raises bare Exception for a broken file
        raise PellucidError(f"{path} has no tokenizer that can be read ({error}).") from error


def _read(folder: Folder) -> Tokenizer:
    if _is_marian(folder):
        return marian.read_marian(folder)
    if _has(folder, (WHOLE,)):
        recipe = _named(folder)
        inner = tokenizers.Tokenizer.from_file(str(folder.path / WHOLE))
    else:
        recipe, names = _found(folder)
        inner = recipe.make(folder, *(folder.path / name for name in names))
    special = _settle(inner, folder, recipe)
    return Tokenizer(inner, {role: token.content for role, token in special.items()})


def _settle(inner: tokenizers.Tokenizer, folder: Folder, recipe: Recipe | None) -> Special:
    """Give it the special tokens that it knows or the folder names, and the folder's settings."""
    usual = recipe.special if recipe else {}
    known = {role: text for role, text in usual.items() if inner.token_to_id(text) is not None}
    special = folder.special(known)
    add_tokens(inner, folder, special)
    if recipe:
        recipe.settle(inner, folder, special)
    return special


def _is_marian(folder: Folder) -> bool:
    named = folder.kind in marian.NAMES or (not folder.kind and folder.family == marian.FAMILY)
    return _has(folder, marian.FILES) and (named or not _has(folder, (WHOLE,)))


def _named(folder: Folder) -> Recipe | None:
    """The recipe of the class that the folder names, or else of the model's family."""
    table, name = (BY_NAME, folder.kind) if folder.kind else (BY_FAMILY, folder.family)
    return None if table.get(name) is PLAIN else table.get(name)


def _found(folder: Folder) -> tuple[Recipe, Files]:
    """The recipe for the files that are there, and their names."""
    if folder.kind and folder.kind not in BY_NAME:
        raise NoTokenizer(
            f"{folder.path} wants a {folder.kind} and has no {WHOLE}; "
            f"without one, known are {', '.join(BY_NAME)}. Save it once with `transformers`."
        )
    named = _named(folder)
    for recipe in filter(None, (named, *USUAL)):
        for names in recipe.files:
            if _has(folder, names):
                return recipe, names
    known = dict.fromkeys(names for recipe in RECIPES for names in recipe.files)
    expected = "; or ".join(" and ".join(names) for names in ((WHOLE,), *known, marian.FILES))
    raise NoTokenizer(f"{folder.path} has no tokenizer; expected {expected}.")


def _has(folder: Folder, names: Files) -> bool:
    return all((folder.path / name).is_file() for name in names)
