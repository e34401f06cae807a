"""What the small files of a checkpoint say about its tokenizer, by the rules of `transformers`."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tokenizers import AddedToken, Tokenizer

from pellucid.errors import PellucidError

ROLES = "bos_token eos_token unk_token sep_token pad_token cls_token mask_token".split()
FURTHER = ("extra_special_tokens", "additional_special_tokens")  # the first that is there counts
ENDS = ("add_bos_token", "add_eos_token")
FLAGS = ("single_word", "lstrip", "rstrip", "normalized", "special")


@dataclass(frozen=True)
class Folder:
    """A checkpoint's folder: the class of its tokenizer, its settings, and tokens added to it.

    `kind` is the class in `transformers`, without "Fast"; `family` is the model's type.
    """

    path: Path
    kind: str
    family: str
    settings: Mapping[str, Any]
    added: Mapping[str, AddedToken]

    @classmethod
    def of(cls, path: Path) -> "Folder":
        """What tokenizer_config.json, special_tokens_map.json and added_tokens.json say."""
        settings = read_object(path / "tokenizer_config.json")
        model = read_object(path / "config.json")
        kind = str(settings.get("tokenizer_class") or model.get("tokenizer_class") or "")
        if (path / "tokenizer.json").is_file():  # it says itself what begins and ends a text
            settings = {name: settings[name] for name in settings if name not in ENDS}
        try:
            if "added_tokens_decoder" in settings:
                added = _listed(settings["added_tokens_decoder"])
            else:
                settings |= read_object(path / "special_tokens_map.json")
                added = _appended(read_object(path / "added_tokens.json"), settings)
        except (TypeError, KeyError, ValueError, AttributeError) as error:
            raise PellucidError(f"{path} describes an added token badly ({error}).") from error
        family = str(model.get("model_type", ""))
        return cls(path, kind.removesuffix("Fast"), family, settings, added)

    def setting(self, name: str, default: bool) -> bool:
        """A setting that is on or off."""
        value = self.settings.get(name)
        return default if value is None else bool(value)

    def special(self, default: Mapping[str, str]) -> dict[str, AddedToken]:
        """The special tokens by role; `default` has those of the tokenizer's class."""
        named = [*ROLES, *(name for name in self.settings if name.endswith("_token"))]
        roles = {name: self.settings.get(name) or default.get(name) for name in named}
        return {
            role: self.added.get(_text(value)) or _token(value)
            for role, value in roles.items()
            if isinstance(value, str | dict)
        }


def add_tokens(inner: Tokenizer, folder: Folder, special: Mapping[str, AddedToken]) -> None:
    """Give the tokenizer the tokens of the folder that it was not given before."""
    there = inner.get_added_tokens_decoder().values()
    same, known = set(map(repr, there)), {token.content for token in there}
    named = [*special.values(), *map(_token, _further(folder.settings))]
    for token in named:
        token.special = True
    inner.add_tokens([token for token in folder.added.values() if repr(token) not in same])
    inner.add_tokens([token for token in named if token.content not in {*known, *folder.added}])


def read_object(path: Path) -> dict[str, Any]:
    """The JSON object in a file; an empty one where there is no file."""
    if not path.is_file():
        return {}
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (ValueError, RecursionError, OSError) as error:
        raise PellucidError(f"{path} is not valid JSON ({error}).") from error
    if not isinstance(found, dict):
        raise PellucidError(f"{path} holds no settings; expected a JSON object.")
    return found


def _listed(tokens: Mapping[str, Any]) -> dict[str, AddedToken]:
    """Added tokens by their text, in the order of their ids."""
    listed = (_token(tokens[at], special=False) for at in sorted(tokens, key=int))
    return {token.content: token for token in listed}


def _appended(ids: Mapping[str, int], settings: Mapping[str, Any]) -> dict[str, AddedToken]:
    """The same from the older list, which does not say which of them are special."""
    roles = [settings[role] for role in ROLES if settings.get(role)]
    special = {_text(token) for token in [*roles, *_further(settings)]}
    return {
        text: AddedToken(text, special=text in special) for text in sorted(ids, key=ids.__getitem__)
    }


def _further(settings: Mapping[str, Any]) -> list[Any]:
    found: Any = next((settings[name] for name in FURTHER if settings.get(name)), [])
    return list(found.values() if isinstance(found, dict) else found)


def _text(value: Any) -> str:
    return value if isinstance(value, str) else str(value["content"])


def _token(value: Any, special: bool = True) -> AddedToken:
    """A token told by its text alone, or together with how it takes what is around it."""
    told = value if isinstance(value, dict) else {}
    flags = {name: bool(told[name]) for name in FLAGS if name in told}
    return AddedToken(_text(value), **{"special": special} | flags)
