#!/usr/bin/python3
"""PyTorch judges what attest imports: twins of each family, written here from its papers' formulas in torch, with random weights.

    judge_import.py DIR ATTEST      writes models of every family into DIR, imports them, compares logits; exit 1 unless all is right

A twin is a function of a state dict and a configuration, both as the family's own tools save them. Its weights are drawn, written as safetensors
(F64 and F32, some as F16 and BF16, some in two files), imported by `attest import`, and run by `attest run` on PROMPTS prompts. Logits at every position
must be those of the twin within 1e-10 max(1, |logit|) in f64 and 1e-5 in f32, and the decisions of `attest generate` those of the twin. The twin
computes in double precision, in both cases: run in f32 it errs as much as attest may, and by how much depends on the machine. Its own error is printed.

Controls: twins that are wrong on purpose (another pairing, no parallel residual, ...) must be told apart. A judge that passes them has not looked.
"""
import json
import math
import os
import random
import struct
import subprocess
import sys

import torch

PROMPTS = 100
LIMITS = {"f64": 1e-10, "f32": 1e-5}

# ---- the twins -----------------------------------------------------------------------------------------------------


def layer_norm(x, g, b, eps):
    return (x - x.mean(-1, keepdim=True)) / torch.sqrt(x.var(-1, unbiased=False, keepdim=True) + eps) * g + b


def rms_norm(x, g, eps):
    return x / torch.sqrt((x * x).mean(-1, keepdim=True) + eps) * g


def gelu_tanh(x):
    return 0.5 * x * (1 + torch.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x ** 3)))


ACTS = {"gelu_new": gelu_tanh, "gelu": torch.nn.functional.gelu, "silu": torch.nn.functional.silu, "relu": torch.relu}


def rotate(x, width, theta, adjacent=False):
    """x (H, T, d): the first `width` coordinates turned; in halves, or in adjacent pairs."""
    T = x.shape[1]
    angle = torch.arange(T, dtype=x.dtype)[:, None] / theta ** (torch.arange(0, width, 2, dtype=x.dtype) / width)
    c, s, part, rest = angle.cos(), angle.sin(), x[..., :width], x[..., width:]
    if adjacent:
        a, b = part[..., 0::2], part[..., 1::2]
        part = torch.stack([a * c - b * s, b * c + a * s], -1).flatten(-2)
    else:
        a, b = part.chunk(2, -1)
        part = torch.cat([a * c - b * s, b * c + a * s], -1)
    return torch.cat([part, rest], -1)


def attend(q, k, v, causal=True, bias=None, scale=None):
    """(H, T, d) each."""
    T = q.shape[1]
    s = q @ k.transpose(1, 2) * (scale if scale is not None else 1 / math.sqrt(q.shape[2]))
    if bias is not None:
        s = s + bias
    if causal:
        s = s.masked_fill(torch.ones(T, T).triu(1).bool(), -math.inf)
    return torch.softmax(s, -1) @ v


def heads(x, H):
    return x.view(x.shape[0], H, -1).transpose(0, 1)


def together(x):
    return x.transpose(0, 1).reshape(x.shape[1], -1)


def gpt2(w, c, tokens, fault=None):
    conv = lambda x, at: x @ w[at + ".weight"] + w[at + ".bias"]  # noqa: E731
    norm = lambda x, at: layer_norm(x, w[at + ".weight"], w[at + ".bias"], c["layer_norm_epsilon"])  # noqa: E731
    x = w["wte.weight"][tokens] + w["wpe.weight"][:len(tokens)]
    act = ACTS["gelu" if fault == "GeLU by erf" else c["activation_function"]]
    for l in range(c["n_layer"]):
        q, k, v = (heads(t, c["n_head"]) for t in conv(norm(x, f"h.{l}.ln_1"), f"h.{l}.attn.c_attn").chunk(3, -1))
        x = x + conv(together(attend(q, k, v, causal=fault != "no mask")), f"h.{l}.attn.c_proj")
        x = x + conv(act(conv(norm(x, f"h.{l}.ln_2"), f"h.{l}.mlp.c_fc")), f"h.{l}.mlp.c_proj")
    return norm(x, "ln_f") @ w["wte.weight"].T


def nanogpt(w, c, tokens, fault=None):
    w = {k[len("transformer."):]: v for k, v in w.items() if k.startswith("transformer.")}
    zero = lambda at: w.get(at, 0)  # noqa: E731
    line = lambda x, at: x @ w[at + ".weight"].T + zero(at + ".bias")  # noqa: E731
    norm = lambda x, at: layer_norm(x, w[at + ".weight"], zero(at + ".bias"), 1e-5)  # noqa: E731
    x = w["wte.weight"][tokens] + w["wpe.weight"][:len(tokens)]
    act = ACTS["gelu_new" if fault == "GeLU by tanh" else "gelu"]
    for l in range(c["n_layer"]):
        q, k, v = (heads(t, c["n_head"]) for t in line(norm(x, f"h.{l}.ln_1"), f"h.{l}.attn.c_attn").chunk(3, -1))
        x = x + line(together(attend(q, k, v)), f"h.{l}.attn.c_proj")
        x = x + line(act(line(norm(x, f"h.{l}.ln_2"), f"h.{l}.mlp.c_fc")), f"h.{l}.mlp.c_proj")
    return norm(x, "ln_f") @ w["wte.weight"].T


def neox(w, c, tokens, fault=None):
    at0 = "gpt_neox."
    line = lambda x, at: x @ w[at0 + at + ".weight"].T + w[at0 + at + ".bias"]  # noqa: E731
    norm = lambda x, at: layer_norm(x, w[at0 + at + ".weight"], w[at0 + at + ".bias"], c["layer_norm_eps"])  # noqa: E731
    H, T = c["num_attention_heads"], len(tokens)
    d = c["hidden_size"] // H
    width = d if fault == "rotary on whole heads" else int(d * c["rotary_pct"])
    x = w[at0 + "embed_in.weight"][tokens]
    for l in range(c["num_hidden_layers"]):
        mixed = line(norm(x, f"layers.{l}.input_layernorm"), f"layers.{l}.attention.query_key_value").view(T, H, 3, d)
        if fault == "thirds instead of heads":
            mixed = mixed.reshape(T, 3, H, d).transpose(1, 2)
        q, k, v = (mixed[:, :, i].transpose(0, 1) for i in range(3))
        q, k = (rotate(t, width, c["rotary_emb_base"], fault == "adjacent pairs") for t in (q, k))
        a = line(together(attend(q, k, v)), f"layers.{l}.attention.dense")
        before = x if c["use_parallel_residual"] and fault != "no parallel residual" else x + a
        m = line(ACTS[c["hidden_act"]](line(norm(before, f"layers.{l}.post_attention_layernorm"),
                                            f"layers.{l}.mlp.dense_h_to_4h")), f"layers.{l}.mlp.dense_4h_to_h")
        x = x + a + m
    return norm(x, "final_layer_norm") @ w["embed_out.weight"].T


def llama(w, c, tokens, fault=None):
    line = lambda x, at: x @ w["model." + at + ".weight"].T + w.get("model." + at + ".bias", 0)  # noqa: E731
    norm = lambda x, at: (layer_norm(x, w["model." + at + ".weight"], 0, c["rms_norm_eps"]) if fault == "layer norm"  # noqa: E731
                          else rms_norm(x, w["model." + at + ".weight"], c["rms_norm_eps"]))
    H, G = c["num_attention_heads"], c["num_key_value_heads"]
    x = w["model.embed_tokens.weight"][tokens]
    for l in range(c["num_hidden_layers"]):
        at = f"layers.{l}.self_attn."
        y = norm(x, f"layers.{l}.input_layernorm")
        q, k, v = heads(line(y, at + "q_proj"), H), heads(line(y, at + "k_proj"), G), heads(line(y, at + "v_proj"), G)
        q, k = (rotate(t, t.shape[2], c["rope_theta"] * (2 if fault == "another theta" else 1), fault == "adjacent pairs") for t in (q, k))
        k, v = (t.repeat(H // G, 1, 1) if fault == "groups side by side" else t.repeat_interleave(H // G, 0) for t in (k, v))
        x = x + line(together(attend(q, k, v)), at + "o_proj")
        y = norm(x, f"layers.{l}.post_attention_layernorm")
        gate, up = line(y, f"layers.{l}.mlp.gate_proj"), line(y, f"layers.{l}.mlp.up_proj")
        if fault == "gate and up the other way round":
            gate, up = up, gate
        x = x + line(ACTS[c["hidden_act"]](gate) * up, f"layers.{l}.mlp.down_proj")
    head = w["model.embed_tokens.weight"] if c["tie_word_embeddings"] else w["lm_head.weight"]
    return norm(x, "norm") @ head.T


def lens(w, c, tokens, fault=None):
    T, H, kind = len(tokens), c["n_heads"], c["positional_embedding_type"]
    x = w["embed.W_E"][tokens]
    if kind == "standard":
        x = x + w["pos_embed.W_pos"][:T]

    def norm(x, at):
        n = c["normalization_type"]
        if n is None:
            return x
        if at == "ln_final" and c.get("final_rms") and fault != "the last norm like the others":
            n = n.replace("LN", "RMS")
        g, b = (1, 0) if n.endswith("Pre") else (w[at + ".w"], w.get(at + ".b", 0))
        return rms_norm(x, g, c["eps"]) if n.startswith("RMS") else layer_norm(x, g, b, c["eps"])
    bias = None
    if kind == "alibi":
        whole = 2 ** math.floor(math.log2(H))
        slopes = [2 ** (-8 * (h + 1) / whole) for h in range(whole)]
        slopes += [2 ** (-8 * (h + 1) / (2 * whole)) for h in range(0, 2 * (H - whole), 2)]
        far = torch.arange(T)[None, :] - torch.arange(T)[:, None]
        bias = torch.tensor(slopes[::-1] if fault == "slopes from the other side" else slopes, dtype=x.dtype)[:, None, None] * far
    for l in range(c["n_layers"]):
        at = f"blocks.{l}."
        y, (q, k, v) = norm(x, at + "ln1"), (None, None, None)
        q, k, v = (torch.einsum("td,hde->hte", y, w[at + f"attn.W_{i}"]) + w.get(at + f"attn.b_{i}", torch.zeros(1, 1)).unsqueeze(1) for i in "QKV")
        if kind == "rotary":
            near = c["rotary_adjacent_pairs"] != (fault == "the other pairing")
            q, k = (rotate(t, c["rotary_dim"], c["rotary_base"], near) for t in (q, k))
        z = attend(q, k, v, c["attention_dir"] == "causal", bias)
        a = torch.einsum("hte,hed->td", z, w[at + "attn.W_O"]) + w.get(at + "attn.b_O", 0)
        if c.get("attn_only"):
            x = x + a
            continue
        y = norm(x if c.get("parallel_attn_mlp") else x + a, at + "ln2")
        h = y @ w[at + "mlp.W_in"] + w.get(at + "mlp.b_in", 0)
        act = ACTS[c["act_fn"]]
        h = act(y @ w[at + "mlp.W_gate"]) * h if c.get("gated_mlp") else act(h)
        x = x + a + h @ w[at + "mlp.W_out"] + w.get(at + "mlp.b_out", 0)
    return norm(x, "ln_final") @ w["unembed.W_U"] + w.get("unembed.b_U", 0)


def tracr(w, c, tokens, fault=None):
    line = lambda x, at: x @ w[at + "/w"] + w[at + "/b"]  # noqa: E731
    x = w["token_embed/embeddings"][tokens] + w["pos_embed/embeddings"][:len(tokens)]
    for l in range(c["num_layers"]):
        at, H = f"transformer/layer_{l}/", c["num_heads"]
        q, k, v = (heads(line(x, at + "attn/" + name), H) for name in ("query", "key", "value"))
        x = x + line(together(attend(q, k, v, c["causal"] != (fault == "the other mask"))), at + "attn/linear")
        act = gelu_tanh if c["activation_function"] == "gelu" else torch.relu
        x = x + line(act(line(x, at + "mlp/linear_1")), at + "mlp/linear_2")
    read = [k for k, label in enumerate(c["residual_labels"]) if label == c["output"] or label.startswith(c["output"] + ":")]
    return x[:, read]


# ---- random models ---------------------------------------------------------------------------------------------------


def draw(shapes, seed):
    """Gains near 1, everything else about 1/sqrt of what is added up."""
    g, out = torch.Generator().manual_seed(seed), {}
    for name, shape in shapes.items():
        x = torch.randn(shape, generator=g, dtype=torch.float64)
        gain = len(shape) == 1 and (name.endswith((".weight", ".w")))
        out[name] = 1 + 0.1 * x if gain else x * (0.5 if len(shape) == 1 else 1 / math.sqrt(shape[-2 if len(shape) > 2 else -1]))
    return out


def gpt2_case(V=37, n=24, D=24, L=3, H=4, bias=True, act="gelu_new"):
    s = {"wte.weight": (V, D), "wpe.weight": (n, D), "ln_f.weight": (D,), "ln_f.bias": (D,)}
    for l in range(L):
        at = f"h.{l}."
        s.update({at + "ln_1.weight": (D,), at + "ln_1.bias": (D,), at + "ln_2.weight": (D,), at + "ln_2.bias": (D,),
                  at + "attn.c_attn.weight": (D, 3 * D), at + "attn.c_attn.bias": (3 * D,), at + "attn.c_proj.weight": (D, D),
                  at + "attn.c_proj.bias": (D,), at + "mlp.c_fc.weight": (D, 4 * D), at + "mlp.c_fc.bias": (4 * D,),
                  at + "mlp.c_proj.weight": (4 * D, D), at + "mlp.c_proj.bias": (D,)})
    return gpt2, s, {"model_type": "gpt2", "n_embd": D, "n_head": H, "n_layer": L, "n_positions": n, "n_ctx": n, "vocab_size": V,
                     "activation_function": act, "layer_norm_epsilon": 1e-5, "resid_pdrop": 0.1, "use_cache": True,
                     "bos_token_id": V - 1, "eos_token_id": V - 1}


def nanogpt_case(V=29, n=20, D=16, L=2, H=2, bias=False):
    s = {"wte.weight": (V, D), "wpe.weight": (n, D), "ln_f.weight": (D,)}
    for l in range(L):
        at = f"h.{l}."
        s.update({at + "ln_1.weight": (D,), at + "ln_2.weight": (D,), at + "attn.c_attn.weight": (3 * D, D), at + "attn.c_proj.weight": (D, D),
                  at + "mlp.c_fc.weight": (4 * D, D), at + "mlp.c_proj.weight": (D, 4 * D)})
        if bias:
            s.update({at + k: v for k, v in {"attn.c_attn.bias": (3 * D,), "attn.c_proj.bias": (D,), "mlp.c_fc.bias": (4 * D,),
                                             "mlp.c_proj.bias": (D,), "ln_1.bias": (D,), "ln_2.bias": (D,)}.items()})
    if bias:
        s["ln_f.bias"] = (D,)
    return nanogpt, {"transformer." + k: v for k, v in s.items()}, {"n_layer": L, "n_head": H, "n_embd": D, "block_size": n, "vocab_size": V,
                                                                    "bias": bias, "dropout": 0.0}


def neox_case(parallel=True, pct=0.25, V=31, D=32, L=2, H=2, U=40):
    s = {"gpt_neox.embed_in.weight": (V, D), "gpt_neox.final_layer_norm.weight": (D,), "gpt_neox.final_layer_norm.bias": (D,), "embed_out.weight": (V, D)}
    for l in range(L):
        at = f"gpt_neox.layers.{l}."
        for norm in ("input_layernorm", "post_attention_layernorm"):
            s.update({at + norm + ".weight": (D,), at + norm + ".bias": (D,)})
        for name, rows, cols in (("attention.query_key_value", 3 * D, D), ("attention.dense", D, D), ("mlp.dense_h_to_4h", U, D), ("mlp.dense_4h_to_h", D, U)):
            s.update({at + name + ".weight": (rows, cols), at + name + ".bias": (rows,)})
    return neox, s, {"model_type": "gpt_neox", "hidden_size": D, "num_hidden_layers": L, "num_attention_heads": H, "intermediate_size": U, "vocab_size": V,
                     "max_position_embeddings": 32, "layer_norm_eps": 1e-5, "hidden_act": "gelu", "rotary_pct": pct, "rotary_emb_base": 10000,
                     "use_parallel_residual": parallel, "tie_word_embeddings": False, "eos_token_id": 0, "bos_token_id": 0}


def llama_case(tied=False, bias=False, V=41, D=24, L=2, H=6, G=2, d=4, U=36):
    s = {"model.embed_tokens.weight": (V, D), "model.norm.weight": (D,)}
    if not tied:
        s["lm_head.weight"] = (V, D)
    for l in range(L):
        at = f"model.layers.{l}."
        s.update({at + "input_layernorm.weight": (D,), at + "post_attention_layernorm.weight": (D,)})
        for name, rows, cols in (("self_attn.q_proj", H * d, D), ("self_attn.k_proj", G * d, D), ("self_attn.v_proj", G * d, D), ("self_attn.o_proj", D, H * d),
                                 ("mlp.gate_proj", U, D), ("mlp.up_proj", U, D), ("mlp.down_proj", D, U)):
            s[at + name + ".weight"] = (rows, cols)
            if bias and name[-6:] in ("q_proj", "k_proj", "v_proj"):
                s[at + name + ".bias"] = (rows,)
    return llama, s, {"model_type": "llama", "hidden_size": D, "num_hidden_layers": L, "num_attention_heads": H, "num_key_value_heads": G, "head_dim": d,
                      "intermediate_size": U, "vocab_size": V, "max_position_embeddings": 48, "rms_norm_eps": 1e-6, "hidden_act": "silu", "rope_theta": 500.0,
                      "rope_scaling": None, "attention_bias": bias, "tie_word_embeddings": tied, "eos_token_id": [3, 4]}


def lens_case(norm="LN", positions="standard", gated=False, parallel=False, attn_only=False, adjacent=False, direction="causal", act="gelu_new",
              final_rms=False, V=23, out=23, D=20, L=2, H=3, d=6, U=28, n=24):
    s = {"embed.W_E": (V, D), "unembed.W_U": (D, out), "unembed.b_U": (out,)}
    gains = norm is not None and not norm.endswith("Pre")
    if positions == "standard":
        s["pos_embed.W_pos"] = (n, D)
    norms = [f"blocks.{l}.ln{k}" for l in range(L) for k in ((1,) if attn_only else (1, 2))] + ["ln_final"] if gains else []
    for name in norms:
        s.update({name + ".w": (D,), **({} if norm == "RMS" or name == "ln_final" and final_rms else {name + ".b": (D,)})})
    for l in range(L):
        at = f"blocks.{l}."
        s.update({at + f"attn.W_{i}": (H, D, d) for i in "QKV"})
        s.update({at + f"attn.b_{i}": (H, d) for i in "QKV"})
        s.update({at + "attn.W_O": (H, d, D), at + "attn.b_O": (D,)})
        if not attn_only:
            s.update({at + "mlp.W_in": (D, U), at + "mlp.b_in": (U,), at + "mlp.W_out": (U, D), at + "mlp.b_out": (D,)})
            if gated:
                s[at + "mlp.W_gate"] = (D, U)
    return lens, s, {"d_model": D, "n_layers": L, "n_heads": H, "d_head": d, "d_mlp": U, "n_ctx": n, "d_vocab": V, "d_vocab_out": out, "act_fn": act, "eps": 1e-5,
                     "normalization_type": norm, "final_rms": final_rms, "positional_embedding_type": positions, "rotary_dim": 4, "rotary_base": 10000,
                     "rotary_adjacent_pairs": adjacent, "gated_mlp": gated, "parallel_attn_mlp": parallel, "attn_only": attn_only,
                     "attention_dir": direction, "use_attn_scale": True, "attn_scores_soft_cap": -1.0, "seed": 0, "init_weights": True}


def tracr_case(causal=False, act="relu", V=7, n=9, D=14, L=2, H=2, d=5, U=11):
    s = {"token_embed/embeddings": (V, D), "pos_embed/embeddings": (n, D)}
    for l in range(L):
        at = f"transformer/layer_{l}/"
        for name, a, b in (("attn/query", D, H * d), ("attn/key", D, H * d), ("attn/value", D, H * d), ("attn/linear", H * d, D),
                           ("mlp/linear_1", D, U), ("mlp/linear_2", U, D)):
            s.update({at + name + "/w": (a, b), at + name + "/b": (b,)})
    labels = [f"tokens:{k}" for k in range(4)] + [f"frac_{k}" for k in range(5)] + [f"sort:{k}" for k in range(5)]
    return tracr, s, {"num_layers": L, "num_heads": H, "key_size": d, "mlp_hidden_size": U, "activation_function": act, "causal": causal,
                      "layer_norm": False, "dropout_rate": 0.0, "residual_labels": labels, "output": "sort"}


CASES = {
    "gpt2": (gpt2_case(), ("no mask", "GeLU by erf")),
    "gpt2-erf": (gpt2_case(act="gelu", L=1), ()),
    "nanogpt": (nanogpt_case(), ("GeLU by tanh",)),
    "nanogpt-bias": (nanogpt_case(bias=True), ()),
    "neox": (neox_case(), ("no parallel residual", "rotary on whole heads", "adjacent pairs", "thirds instead of heads")),
    "neox-in-line": (neox_case(parallel=False, pct=1.0), ()),
    "llama": (llama_case(), ("layer norm", "another theta", "adjacent pairs", "groups side by side", "gate and up the other way round")),
    "llama-tied": (llama_case(tied=True, bias=True), ()),
    "lens": (lens_case(), ()),
    "lens-folded": (lens_case(norm="LNPre", act="gelu", out=9), ()),
    "lens-rotary": (lens_case(norm="RMS", positions="rotary", gated=True, parallel=True, adjacent=True, act="silu"), ("the other pairing",)),
    "lens-halves": (lens_case(norm="RMSPre", positions="rotary", act="relu"), ("the other pairing",)),
    "lens-alibi": (lens_case(positions="alibi", H=6), ("slopes from the other side",)),
    "lens-last-rms": (lens_case(final_rms=True), ("the last norm like the others",)),
    "lens-attn-only": (lens_case(norm=None, attn_only=True, direction="bidirectional"), ()),
    "tracr": (tracr_case(), ("the other mask",)),
    "tracr-gelu": (tracr_case(causal=True, act="gelu"), ()),
}
TYPES = {"F64": torch.float64, "F32": torch.float32, "F16": torch.float16, "BF16": torch.bfloat16}

# ---- files -----------------------------------------------------------------------------------------------------------


def tensors_write(path, weights, dtype):
    header, data = {"__metadata__": {"format": "pt"}}, []
    for name, w in weights.items():
        w = w.to(TYPES[dtype]).contiguous()
        raw = bytes(w.view(torch.int16).numpy().tobytes()) if w.element_size() == 2 else bytes(w.numpy().tobytes())
        begin = sum(map(len, data))
        header[name] = {"dtype": dtype, "shape": list(w.shape), "data_offsets": [begin, begin + len(raw)]}
        data.append(raw)
    text = json.dumps(header).encode()
    with open(path, "wb") as f:
        f.write(struct.pack("<Q", len(text)) + text + b"".join(data))


def folder_write(folder, weights, config, dtype, shards):
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, "config.json"), "w") as f:
        json.dump(config, f)
    if shards == 1:
        tensors_write(os.path.join(folder, "model.safetensors"), weights, dtype)
        return
    names, index = sorted(weights), {}
    for k in range(shards):
        file = f"model-{k + 1:05}-of-{shards:05}.safetensors"
        tensors_write(os.path.join(folder, file), {name: weights[name] for name in names[k::shards]}, dtype)
        index.update({name: file for name in names[k::shards]})
    with open(os.path.join(folder, "model.safetensors.index.json"), "w") as f:
        json.dump({"metadata": {}, "weight_map": index}, f)


def ask(*command, text=None):
    r = subprocess.run(command, input=text, capture_output=True, text=True)
    if r.returncode not in (0, 3):
        raise SystemExit(f"{' '.join(command)}: exit {r.returncode}: {r.stderr}")
    return r.stdout


# ---- judging ---------------------------------------------------------------------------------------------------------


def apart(ours, theirs):
    a, b = torch.as_tensor(ours, dtype=torch.float64), theirs
    return float(((a - b).abs() / b.abs().clamp(min=1)).max())


def sizes(config):
    V = next(config[k] for k in ("vocab_size", "d_vocab", "vocabulary") if k in config)
    n = next(config[k] for k in ("n_positions", "block_size", "max_position_embeddings", "n_ctx", "length") if k in config)
    return V, n


def main(directory, attest):
    worst, wrong, told, theirs = {"f64": 0.0, "f32": 0.0}, [], 0, 0.0
    for number, (name, ((twin, shapes, config), faults)) in enumerate(CASES.items()):
        if twin is tracr:
            V, n = shapes["token_embed/embeddings"][0], shapes["pos_embed/embeddings"][0]
        else:
            V, n = sizes(config)
        rng = random.Random(number)
        prompts = [[rng.randrange(V) for _ in range(rng.randint(1, min(n, 20)))] for _ in range(PROMPTS)]
        lines = "".join(" ".join(map(str, p)) + "\n" for p in prompts)
        for dtype in ("F64", "F32") + (("BF16", "F16") if number % 3 == 0 else ()):
            folder = os.path.join(directory, f"{name}-{dtype}")
            weights = {k: v.to(TYPES[dtype]).to(torch.float64) for k, v in draw(shapes, number).items()}
            folder_write(folder, weights, config, dtype, 2 if number % 4 == 0 and dtype == "F32" else 1)
            model = folder + ".safetensors"
            ask(attest, "import", folder, "--read", "every", "-o", model)
            for precision in ("f64", "f32"):
                if dtype == "F64" and precision == "f32":
                    continue  # weights would be rounded twice
                said = [json.loads(x)["values"] for x in ask(attest, "run", model, "-", "--precision", precision, "--json", text=lines).splitlines()]
                right = [twin(weights, config, p) for p in prompts]
                far = max(map(apart, said, right))
                worst[precision] = max(worst[precision], far)
                if precision == "f32":
                    single = {k: v.to(torch.float32) for k, v in weights.items()}
                    theirs = max(theirs, max(apart(twin(single, config, p), r) for p, r in zip(prompts, right)))
                if len(said) != PROMPTS or not far <= LIMITS[precision]:
                    wrong.append(f"{name} {dtype}: {precision} differs by {far:.3g}")
                if precision == "f64":
                    for fault in faults if dtype == "F64" else ():
                        least = max(apart(ours, twin(weights, config, p, fault)) for ours, p in zip(said, prompts))
                        told += least > 1e-6
                        if not least > 1e-6:
                            wrong.append(f"{name}: the twin with {fault} is not told apart ({least:.3g})")
            if dtype == "F64" and config.get("attention_dir", "causal") == "causal" and twin is not tracr and shapes.get("unembed.W_U", (0, V))[1] == V:
                ask(attest, "import", folder, "--steps", "3", "-o", model)
                for p in prompts[:5]:
                    if len(p) + 3 > n:
                        continue
                    rows = list(map(int, ask(attest, "generate", model, " ".join(map(str, p))).split("\n")[0].split()))
                    text = list(p)
                    for token in rows:
                        if int(twin(weights, config, text)[-1].argmax()) != token:
                            wrong.append(f"{name}: generates {rows} after {p}")
                            break
                        text.append(token)
    for line in wrong:
        print(line)
    print(f"judge_import: {len(CASES)} models, {PROMPTS} prompts each: worst f64 {worst['f64']:.2g}, f32 {worst['f32']:.2g} "
          f"(PyTorch in f32: {theirs:.2g}); {told} wrong twins told apart")
    return 1 if wrong else 0


if __name__ == "__main__":
    torch.set_grad_enabled(False)
    sys.exit(main(*sys.argv[1:]))
