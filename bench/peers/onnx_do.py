"""What the onnx package does with a model, as a verb does:  onnx_do.py check | save | extract MODEL [OUT]"""
import sys

import onnx
import onnx.utils

what, model, *out = sys.argv[1:]
if what == "check":
    onnx.checker.check_model(model)
elif what == "save":
    loaded = onnx.load(model)
    loaded.metadata_props.add(key="outcome", value="one")
    onnx.save(loaded, out[0])
else:
    loaded = onnx.load(model)
    names = [node.output[0] for node in loaded.graph.node]
    onnx.utils.extract_model(model, [loaded.graph.input[0].name], [names[len(names) // 2]], out[0])
