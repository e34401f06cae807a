"""Small checkpoints of every family with random weights, written by `transformers` itself."""

from pathlib import Path
from typing import Any

import torch

from pellucid.checks.theirs import installed, quiet

Specimen = tuple[str, dict[str, Any]]  # a model of theirs, and its settings

TINY = {
    "vocab_size": 60,
    "hidden_size": 16,
    "num_hidden_layers": 3,
    "num_attention_heads": 4,
    "intermediate_size": 32,
    "max_position_embeddings": 40,
}
CLASSES = {"num_labels": 3}
DISTILBERT = {
    "vocab_size": 60,
    "dim": 16,
    "n_layers": 2,
    "n_heads": 4,
    "hidden_dim": 32,
    "max_position_embeddings": 40,
}
ALBERT = {**TINY, "embedding_size": 8}
GPT2 = {"vocab_size": 60, "n_embd": 16, "n_layer": 3, "n_head": 4, "n_positions": 40}
LLAMA = {**TINY, "num_key_value_heads": 2}
LLAMA3 = {
    "rope_type": "llama3",
    "rope_theta": 500.0,
    "factor": 8.0,
    "low_freq_factor": 1.0,
    "high_freq_factor": 4.0,
    "original_max_position_embeddings": 16,
}
T5 = {
    "vocab_size": 60,
    "d_model": 16,
    "d_kv": 6,
    "d_ff": 32,
    "num_layers": 2,
    "num_decoder_layers": 3,
    "num_heads": 4,
    "relative_attention_num_buckets": 12,
    "relative_attention_max_distance": 20,
}
BART = {
    "vocab_size": 60,
    "d_model": 16,
    "encoder_layers": 2,
    "decoder_layers": 3,
    "encoder_attention_heads": 4,
    "decoder_attention_heads": 4,
    "encoder_ffn_dim": 32,
    "decoder_ffn_dim": 32,
    "max_position_embeddings": 40,
    "pad_token_id": 1,
    "eos_token_id": 2,
    "bos_token_id": 0,
    "decoder_start_token_id": 2,
}
OWN = {"decoder_vocab_size": 50, "share_encoder_decoder_embeddings": False}

SPECIMENS: dict[str, Specimen] = {
    "BERT": ("BertForPreTraining", TINY),
    "BERT, body": ("BertModel", TINY),
    "BERT, classes": ("BertForSequenceClassification", TINY | CLASSES),
    "BERT, tokens": ("BertForTokenClassification", TINY | CLASSES),
    "RoBERTa": ("RobertaForMaskedLM", TINY),
    "RoBERTa, classes": ("RobertaForSequenceClassification", TINY | CLASSES),
    "RoBERTa, tokens": ("RobertaForTokenClassification", TINY | CLASSES),
    "DistilBERT": ("DistilBertForMaskedLM", DISTILBERT),
    "DistilBERT, classes": ("DistilBertForSequenceClassification", DISTILBERT | CLASSES),
    "DistilBERT, tokens": ("DistilBertForTokenClassification", DISTILBERT | CLASSES),
    "ALBERT": ("AlbertForPreTraining", ALBERT),
    "ALBERT, masked words": ("AlbertForMaskedLM", ALBERT),
    "GPT-2": ("GPT2LMHeadModel", GPT2),
    "GPT-2, classes": ("GPT2ForSequenceClassification", GPT2 | CLASSES | {"pad_token_id": 0}),
    "Llama": ("LlamaForCausalLM", LLAMA),
    "Llama, tied, biased": (
        "LlamaForCausalLM",
        LLAMA
        | {"tie_word_embeddings": True, "attention_bias": True, "mlp_bias": True, "head_dim": 6},
    ),
    "Llama 3": ("LlamaForCausalLM", LLAMA | {"rope_parameters": LLAMA3}),
    "Llama, classes": ("LlamaForSequenceClassification", LLAMA | CLASSES | {"pad_token_id": 0}),
    "T5 1.0": ("T5ForConditionalGeneration", T5),
    "T5 1.1": (
        "T5ForConditionalGeneration",
        T5 | {"feed_forward_proj": "gated-gelu", "tie_word_embeddings": False},
    ),
    "T5, encoder": ("T5EncoderModel", T5),
    "T5, tokens": ("T5ForTokenClassification", T5 | CLASSES),
    "T5, classes": (
        "T5ForSequenceClassification",
        T5 | CLASSES | {"decoder_start_token_id": 0},
    ),
    "BART": ("BartForConditionalGeneration", BART),
    "BART, scaled": (
        "BartForConditionalGeneration",
        BART | {"scale_embedding": True, "activation_function": "relu"},
    ),
    "BART, classes": ("BartForSequenceClassification", BART | CLASSES),
    "Marian": ("MarianMTModel", BART | {"scale_embedding": True, "activation_function": "swish"}),
    "Marian, two vocabularies": ("MarianMTModel", BART | OWN),
}


def build(name: str, folder: Path, seed: int = 0) -> Path:
    """Write the checkpoint of this name; no weight is zero or one, so that none is forgotten."""
    transformers = installed()
    architecture, settings = SPECIMENS[name]
    kind = getattr(transformers, architecture)
    with torch.random.fork_rng(), quiet(transformers), torch.no_grad():
        torch.manual_seed(seed)
        model = kind(kind.config_class(**settings))
        learned = [weight for weight in model.parameters() if weight.requires_grad]
        if hasattr(model, "final_logits_bias"):
            learned.append(model.final_logits_bias)
        for weight in learned:
            weight.add_(torch.randn_like(weight), alpha=0.2)
        model.save_pretrained(folder)
    return folder
