"""An encoder-decoder turns the letters of a word into its sounds, and shows what it considered.

    python examples/letters_to_phonemes.py FOLDER transformer attention mouse
    python examples/letters_to_phonemes.py FOLDER tomato --beams 5 --tree
    python examples/letters_to_phonemes.py FOLDER tomato --beams 5 --save tomato.html

FOLDER holds a BART of 751,488 parameters (hexgrad/misaki's fallback for English as it is spoken
in America). It comes without a tokenizer: a letter's id is its place in `grapheme_chars` of
config.json, a sound's in `phoneme_chars`, so one is made here. Without words, it is asked a sample
of its own dictionary.
"""

import argparse
import gzip
import json
import random
from pathlib import Path

import tokenizers
from tokenizers import decoders, models, pre_tokenizers, processors

import pellucid
from pellucid.decode.seen import see_generated
from pellucid.models.model import Model
from pellucid.text.tokenizer import Tokenizer

SPECIAL = ["<pad>", "<s>", "</s>", "<unk>"]  # ids 0 to 3


def signs(listed: str) -> Tokenizer:
    """A tokenizer whose pieces are single signs, each with the number of its place in the list."""
    numbers = {sign: at for at, sign in enumerate(listed) if at >= len(SPECIAL)}
    numbers |= {name: at for at, name in enumerate(SPECIAL)}
    inner = tokenizers.Tokenizer(models.WordLevel(numbers, unk_token="<unk>"))
    inner.add_special_tokens(SPECIAL)
    inner.pre_tokenizer = pre_tokenizers.Split(tokenizers.Regex("."), "isolated")
    inner.post_processor = processors.TemplateProcessing(
        "<s> $A </s>", special_tokens=[("<s>", 1), ("</s>", 2)]
    )
    inner.decoder = decoders.Fuse()
    return Tokenizer(inner)


def load(folder: Path) -> Model:
    """The model, with a tokenizer for letters and one for sounds."""
    model = pellucid.load(folder)
    model.tokenizer = signs(model.settings["grapheme_chars"])
    model.tokenizer.target = signs(model.settings["phoneme_chars"])
    return model


def dictionary(folder: Path) -> dict[str, str]:
    """Plain words in small letters, and how they sound."""
    entries = json.loads(gzip.decompress((folder / "us_gold.json.gz").read_bytes()))
    return {
        word: sounds
        for word, sounds in entries.items()
        if isinstance(sounds, str) and word.isalpha() and word.islower()
    }


def share_right(model: Model, folder: Path, words: int, seed: int = 0) -> float:
    """How many of so many words, drawn by chance, it says exactly as the dictionary does."""
    known = dictionary(folder)
    drawn = random.Random(seed).sample(list(known), words)
    said = model.translate(drawn)
    return sum(s[0].text == known[word] for word, s in zip(drawn, said, strict=True)) / words


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path, help="where the model is")
    parser.add_argument("words", nargs="*", help="what to say")
    parser.add_argument("--sample", type=int, default=300, metavar="N", help="words to draw")
    parser.add_argument("--beams", type=int, default=1, metavar="N", help="branches of the search")
    parser.add_argument("--tree", action="store_true", help="show every candidate")
    parser.add_argument("--save", type=Path, metavar="FILE", help="the last word: .html, .xlsx, …")
    chosen = parser.parse_args()
    model = load(chosen.folder)
    for word in chosen.words:
        best = model.translate(word, beams=chosen.beams)[0]
        print(f"{word:16} {best.text}")
        if chosen.tree:
            print(f"\n{best.terms}\n\n{best.tree}\n")
    if chosen.words and chosen.save:
        search = {"beams": chosen.beams, "best": chosen.beams}
        see_generated(model, chosen.words[-1], {}, **search).save(chosen.save)
    if not chosen.words:
        share = share_right(model, chosen.folder, chosen.sample)
        print(f"{share:.1%} of {chosen.sample} words as in the dictionary")


if __name__ == "__main__":
    main()
