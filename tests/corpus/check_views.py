#!/usr/bin/python3
"""What views show of real engines: equal blocks and the odd one out, patterns, memory as the
builder sums it up.

usage: check_views.py BINARY ../shared
"""
import json
import os
import sys

from harness import SHARED, check, failures, run

ZOO = os.path.join(SHARED, "zoo", "cases")
if not os.path.isdir(ZOO):
    print(f"skipped: {ZOO} is not there")
    sys.exit(77)

# Twelve encoder layers, of which the last has its output's normalization cut in two.
bert = os.path.join(ZOO, "bert12_dynamo")
text = run("bert12_dynamo", "scopes", bert)
check("bert12_dynamo", "no node is without a module", "(no scope)" not in text, text)
check("bert12_dynamo", "equal blocks are one row", "encoder.layer.* x11 " in text, text)
check("bert12_dynamo", "the odd one is named",
      "encoder.layer.11  BertLayer  fp32 14  (14 layers, but the other 11 blocks have 13)" in text, text)
blocks = json.loads(run("bert12_dynamo", "patterns", bert, "-f", "json"))
count = {p["pattern"]: p["blocks"] for p in blocks["patterns"]}
check("bert12_dynamo", "its patterns",
      count == {"attention": 12, "qkv": 12, "layernorm": 25, "gelu": 12, "residual": 24}, count)
memory = json.loads(run("bert12_dynamo", "memory", bert, "-f", "json"))
check("bert12_dynamo", "what the log says of memory",
      (memory["log_weights"], memory["log_scratch"], memory["log_host"]) ==
      (346907392, 8880128, 80), {k: v for k, v in memory.items() if k.startswith("log")})

text = run("llama4_dynamo", "scopes", os.path.join(ZOO, "llama4_dynamo"))
check("llama4_dynamo", "equal blocks are one row", "model.layers.* x4 " in text, text)
text = run("diffusion_block", "explain", os.path.join(ZOO, "diffusion_block"), "--node",
           "/attentions.1/attn2/Softmax")
check("diffusion_block", "the log's word on attention",
      "was recognized as part of the self-attention pattern" in text, text)

# A residual branch that is quantized, and the pool behind it that is not.
corpus = os.path.join(SHARED, "corpus", "resnet18-qat-residual-trt8.4")
advice = {r["layer"]: r["advice"].replace("`", "") for r in
          json.loads(run("qat-residual", "reformats", corpus, "-f", "json"))["reformats"]}
check("qat-residual", "layer 19 stands for the pool's sake",
      advice[19].startswith("add a Q/DQ pair on Relu_293 -> GlobalAveragePool_294 (input 0), ")
      and "layer 21 writes fp32 for GlobalAveragePool_294" in advice[19], advice)
sys.exit(1 if failures else 0)
