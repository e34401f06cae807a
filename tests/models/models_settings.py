"""What becomes of every setting that `transformers` knows: followed, refused, or harmless."""

from dataclasses import dataclass
from typing import Any

Harmless = dict[str, tuple[Any, str]]  # by name: another value, and why it does nothing

NAME, TRAINING, FIRST = "a name", "acts while training", "sets the first values of weights"
RETURNED, GENERATION = "says what is returned", "acts while generating"
PADDING = "padding is told by the mask"

ALL: Harmless = {
    "_name_or_path": ("elsewhere", NAME),
    "transformers_version": ("4.0.0", NAME),
    "id2label": ({"0": "good", "1": "bad", "2": "neither"}, NAME),
    "label2id": ({"good": 0, "bad": 1, "neither": 2}, NAME),
    "problem_type": ("regression", "says which loss"),
    "chunk_size_feed_forward": (1, "saves memory"),
    "return_dict": (False, RETURNED),
    "output_hidden_states": (True, RETURNED),
    "output_attentions": (True, RETURNED),
    "architectures": (["Another"], "chooses the head, where the weights do not tell"),
    "dtype": ("bfloat16", "we compute in the precision that is asked for"),
}
START: Harmless = {"initializer_range": (0.7, FIRST), "tie_word_embeddings": (True, "as it is")}
CACHE: Harmless = {"use_cache": (False, "saves time")}
ENDS: Harmless = {"bos_token_id": (5, GENERATION), "eos_token_id": (6, GENERATION)}
PAD: Harmless = {"pad_token_id": (7, PADDING)}
DROPS: Harmless = {"classifier_dropout": (0.7, TRAINING)}
BERT: Harmless = START | CACHE | ENDS | PAD | DROPS
SEQUENCES: Harmless = {
    "init_std": (3.0, FIRST),
    "activation_dropout": (0.7, TRAINING),
    "encoder_layerdrop": (0.7, TRAINING),
    "decoder_layerdrop": (0.7, TRAINING),
    "decoder_start_token_id": (4, GENERATION),
    "forced_eos_token_id": (4, GENERATION),
}


@dataclass(frozen=True)
class Columns:
    """What becomes of the settings of one family; `followed` has a value that must be told."""

    specimen: str
    followed: dict[str, Any]
    refused: dict[str, Any]
    harmless: Harmless


FOLLOWED_BERT = {
    "vocab_size": 61,
    "hidden_size": 32,
    "num_hidden_layers": 4,
    "num_attention_heads": 2,
    "intermediate_size": 31,
    "max_position_embeddings": 41,
    "type_vocab_size": 3,
    "hidden_act": "relu",
    "layer_norm_eps": 1e-3,
    "hidden_dropout_prob": 0.3,
    "attention_probs_dropout_prob": 0.3,
}
ONE = {"is_encoder_decoder": True}
REFUSED_BERT = ONE | {"is_decoder": True, "add_cross_attention": True}
OTHER_SIDE = {"decoder_attention_heads": 2, "decoder_ffn_dim": 31}
FOLLOWED_BART = {
    "vocab_size": 61,
    "d_model": 32,
    "encoder_layers": 1,
    "decoder_layers": 1,
    "encoder_attention_heads": 2,
    "encoder_ffn_dim": 31,
    "max_position_embeddings": 41,
    "activation_function": "silu",
    "dropout": 0.3,
    "attention_dropout": 0.3,
    "scale_embedding": True,
    "tie_word_embeddings": False,
}
# what must be told with another, or else contradicts it
TOGETHER: dict[str, dict[str, Any]] = {
    "encoder_attention_heads": {"decoder_attention_heads": 2},
    "encoder_ffn_dim": {"decoder_ffn_dim": 31},
    "feed_forward_proj": {"dense_act_fn": None, "is_gated_act": None},
}

TABLE: dict[str, Columns] = {
    "bert": Columns("BERT, body", FOLLOWED_BERT, REFUSED_BERT, BERT),
    "roberta": Columns(
        "RoBERTa",
        FOLLOWED_BERT,
        REFUSED_BERT | {"pad_token_id": 0, "tie_word_embeddings": False},
        CACHE | ENDS | DROPS | {"initializer_range": (0.7, FIRST)},
    ),
    "distilbert": Columns(
        "DistilBERT, classes",
        {
            "vocab_size": 61,
            "dim": 32,
            "n_layers": 4,
            "n_heads": 2,
            "hidden_dim": 31,
            "max_position_embeddings": 41,
            "activation": "relu",
            "dropout": 0.3,
            "attention_dropout": 0.3,
        },
        ONE,
        START
        | ENDS
        | PAD
        | {
            "sinusoidal_pos_embds": (True, FIRST),
            "qa_dropout": (0.7, TRAINING),
            "seq_classif_dropout": (0.7, TRAINING),
        },
    ),
    "albert": Columns(
        "ALBERT",
        FOLLOWED_BERT | {"embedding_size": 7},
        ONE | {"num_hidden_groups": 2, "inner_group_num": 2, "tie_word_embeddings": False},
        ENDS
        | PAD
        | {"initializer_range": (0.7, FIRST), "classifier_dropout_prob": (0.7, TRAINING)},
    ),
    "gpt2": Columns(
        "GPT-2",
        {
            "vocab_size": 61,
            "n_embd": 32,
            "n_layer": 4,
            "n_head": 2,
            "n_inner": 31,
            "n_positions": 41,
            "activation_function": "relu",
            "layer_norm_epsilon": 1e-3,
            "resid_pdrop": 0.3,
            "attn_pdrop": 0.3,
            "tie_word_embeddings": False,
        },
        ONE
        | {
            "scale_attn_weights": False,
            "scale_attn_by_inverse_layer_idx": True,
            "add_cross_attention": True,
        },
        CACHE
        | ENDS
        | PAD
        | {
            "initializer_range": (0.7, FIRST),
            "embd_pdrop": (0.7, TRAINING),
            "reorder_and_upcast_attn": (True, "the same product in another order"),
            "summary_type": ("mean", "of a head that we do not have"),
            "summary_use_proj": (False, "of a head that we do not have"),
            "summary_activation": ("tanh", "of a head that we do not have"),
            "summary_proj_to_labels": (False, "of a head that we do not have"),
            "summary_first_dropout": (0.7, "of a head that we do not have"),
        },
    ),
    "llama": Columns(
        "Llama",
        {
            "vocab_size": 61,
            "hidden_size": 32,
            "num_hidden_layers": 4,
            "num_attention_heads": 2,
            "num_key_value_heads": 1,
            "head_dim": 6,
            "intermediate_size": 31,
            "max_position_embeddings": 41,
            "hidden_act": "relu",
            "rms_norm_eps": 1e-3,
            "attention_dropout": 0.3,
            "attention_bias": True,
            "mlp_bias": True,
            "tie_word_embeddings": True,
            "rope_parameters": {"rope_type": "linear", "factor": 2.0, "rope_theta": 500.0},
        },
        ONE,
        CACHE
        | ENDS
        | PAD
        | {
            "initializer_range": (0.7, FIRST),
            "pretraining_tp": (2, "how a matrix product was once cut into parts"),
        },
    ),
    "t5": Columns(
        "T5 1.1",
        {
            "vocab_size": 61,
            "d_model": 32,
            "d_kv": 7,
            "d_ff": 31,
            "num_layers": 3,
            "num_decoder_layers": 2,
            "num_heads": 2,
            "relative_attention_num_buckets": 14,
            "relative_attention_max_distance": 30,
            "dropout_rate": 0.3,
            "layer_norm_epsilon": 1e-3,
            "feed_forward_proj": "relu",
            "tie_word_embeddings": False,
            "scale_decoder_outputs": True,
        },
        {
            "is_decoder": True,
            "is_encoder_decoder": False,
            "dense_act_fn": "relu",  # against feed_forward_proj, which says gated-gelu
            "is_gated_act": False,
        },
        CACHE
        | PAD
        | DROPS
        | {
            "eos_token_id": (6, GENERATION),
            "initializer_factor": (3.0, FIRST),
        },
    ),
    "bart": Columns(
        "BART",
        FOLLOWED_BART,
        {"is_decoder": True, "is_encoder_decoder": False} | OTHER_SIDE,
        CACHE | ENDS | PAD | DROPS | SEQUENCES,
    ),
    "marian": Columns(
        "Marian, two vocabularies",
        FOLLOWED_BART
        | {
            "decoder_vocab_size": 51,
            "share_encoder_decoder_embeddings": True,
            "scale_embedding": True,
        },
        {"is_decoder": True, "is_encoder_decoder": False} | OTHER_SIDE,
        CACHE | ENDS | PAD | SEQUENCES,
    ),
}
