"""The families: one small file each."""

from pellucid.models.families.bert import BERT
from pellucid.models.families.gpt2 import GPT2
from pellucid.models.family import Family

FAMILIES: dict[str, Family] = {family.name: family for family in (BERT, GPT2)}
