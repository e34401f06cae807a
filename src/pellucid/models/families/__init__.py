"""The families: one small file each."""

from pellucid.models.families.albert import ALBERT
from pellucid.models.families.bart import BART
from pellucid.models.families.bert import BERT
from pellucid.models.families.distilbert import DISTILBERT
from pellucid.models.families.gpt2 import GPT2
from pellucid.models.families.llama import LLAMA
from pellucid.models.families.marian import MARIAN
from pellucid.models.families.own import OWN
from pellucid.models.families.roberta import ROBERTA
from pellucid.models.families.t5 import T5, T5_ENCODER
from pellucid.models.family import Family

WITH_DECODERS = (GPT2, LLAMA, T5, BART, MARIAN)
WITHOUT = (BERT, ROBERTA, DISTILBERT, ALBERT, T5_ENCODER)

FAMILIES: dict[str, Family] = {family.name: family for family in (*WITHOUT, *WITH_DECODERS, *OWN)}
