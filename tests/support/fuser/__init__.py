"""Simulates TensorRT's builder, and records the true mapping.

Real engines never come with the true mapping from layers to ONNX nodes, so they
cannot show whether a program finds the right mapping.  This package takes an
ONNX graph, performs random *legal* builder steps on it, and writes the files
that TensorRT would write (engine JSON, names, log, profile), together with the
true mapping.

    net.py         an ONNX model as plain numbered nodes
    maker.py       writes ONNX graphs; styles.py how exporters name things
    quantizers.py  where tools put Q and DQ
    blocks.py      pieces of networks; models.py whole ones, by kind
    facts.py       facts about a node that hold before any fusion
    work.py        the builder's graph: layers, tensors, fates
    clean.py       removal of no-ops and duplicates
    quant.py       the fates of QuantizeLinear and DequantizeLinear
    fusion.py      vertical fusions; merge.py horizontal ones and splits
    regions.py     Myelin regions
    copies.py      Concat elision, copies and Reformats
    forms.py       types, layouts and shapes of engine tensors
    emit_json.py   engine dump and profile; emit_log.py the verbose log
    truth.py       the true mapping, and checks that it is consistent
    build.py       the list of all steps in order
    fuse.py        the command line
"""
