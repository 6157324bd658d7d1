"""onnx.load, and onnx.checker with it:  onnx_load.py MODEL [check]"""
import sys

import onnx

model = onnx.load(sys.argv[1], load_external_data=False)
if sys.argv[2:]:
    onnx.checker.check_model(model)
