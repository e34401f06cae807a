"""An encoder-decoder turns the letters of a word into its sounds.

    python examples/letters_to_phonemes.py FOLDER transformer attention mouse

FOLDER holds a BART of 751,488 parameters (hexgrad/misaki's fallback for English as it is spoken
in America). It has no tokenizer: a letter's id is its place in `grapheme_chars` of config.json,
a sound's in `phoneme_chars`. Without words, it is asked a sample of its own dictionary.
"""

import argparse
import gzip
import json
import random
from pathlib import Path

import torch

import pellucid
from pellucid.models.model import Model

START, END, UNKNOWN = 1, 2, 3
LONGEST = 40  # sounds


@torch.inference_mode()
def say(model: Model, word: str) -> str:
    """The sounds of a word: after each, the likeliest one."""
    letters, sounds = model.settings["grapheme_chars"], model.settings["phoneme_chars"]
    known = [letters.index(letter) if letter in letters else UNKNOWN for letter in word]
    source = torch.tensor([[START, *known, END]])
    target = [model.settings["decoder_start_token_id"]]
    while len(target) <= LONGEST:
        logits = model(source, torch.tensor([target])).logits
        target.append(int(logits[0, -1].argmax()))
        if target[-1] == END:
            break
    return "".join(sounds[number] for number in target if number > UNKNOWN)


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
    return sum(say(model, word) == known[word] for word in drawn) / words


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path, help="where the model is")
    parser.add_argument("words", nargs="*", help="what to say")
    parser.add_argument("--sample", type=int, default=300, metavar="N", help="words to draw")
    chosen = parser.parse_args()
    model = pellucid.load(chosen.folder)
    for word in chosen.words:
        print(f"{word:16} {say(model, word)}")
    if not chosen.words:
        share = share_right(model, chosen.folder, chosen.sample)
        print(f"{share:.1%} of {chosen.sample} words as in the dictionary")


if __name__ == "__main__":
    main()
