"""Linear (kernelized) attention in plain PyTorch: three equal forms and a streaming state."""

from .attention import (
    all_pairs_linear_attention,
    causal_linear_attention,
    linear_attention,
    recurrent_linear_attention,
)
from .feature_maps import (
    check_feature_map,
    dpfp,
    elu_plus_one,
    exponential,
    hedgehog,
    identity_shifted,
    positive_random_features,
    relu_plus_eps,
    squared_relu,
    taylor_2,
)
from .softmax import KVCache, softmax_attention
from .state import LinearAttentionState
from .tracing import Trace, trace

__all__ = [
    "KVCache",
    "LinearAttentionState",
    "Trace",
    "all_pairs_linear_attention",
    "causal_linear_attention",
    "check_feature_map",
    "dpfp",
    "elu_plus_one",
    "exponential",
    "hedgehog",
    "identity_shifted",
    "linear_attention",
    "positive_random_features",
    "recurrent_linear_attention",
    "relu_plus_eps",
    "softmax_attention",
    "squared_relu",
    "taylor_2",
    "trace",
]
