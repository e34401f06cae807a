"""How each family cuts text, as its classes in `transformers` do: one small file each."""

from pellucid.text.families.albert import ALBERT
from pellucid.text.families.bert import BERT
from pellucid.text.families.gpt2 import GPT2
from pellucid.text.families.llama import LLAMA
from pellucid.text.families.plain import PLAIN
from pellucid.text.families.roberta import ROBERTA
from pellucid.text.families.t5 import T5
from pellucid.text.families.xlm_roberta import XLM_ROBERTA
from pellucid.text.recipe import Recipe

USUAL: tuple[Recipe, ...] = (BERT, GPT2, PLAIN)  # where a folder names no class
RECIPES: tuple[Recipe, ...] = (*USUAL, ROBERTA, T5, ALBERT, LLAMA, XLM_ROBERTA)

BY_NAME = {name: recipe for recipe in RECIPES for name in recipe.names}
BY_FAMILY = {family: recipe for recipe in RECIPES for family in recipe.families}
