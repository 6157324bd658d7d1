"""Where the three usual tools insert QuantizeLinear and DequantizeLinear.

pytorch   pytorch-quantization: a pair before every quantized input, one for each
          use of a tensor; scales are Constant nodes; weights pass a Q and a DQ;
          the residual branch is quantized only on request.
modelopt  as above, scales as initializers.
ort       ONNX Runtime: a pair after every result, which all its consumers share;
          weights and biases are stored quantized and only dequantized.
"""
import struct

from .maker import I8, I32


class Quantizer:
    def __init__(self, rng, kind):
        self.rng, self.kind = rng, kind
        self.constant_nodes = kind == "pytorch"
        self.residual = rng.random() < 0.5
        self.equal = rng.random() < 0.7     # whether all pairs on a tensor have equal scales
        self.scale, self.done = {}, {}

    def _pair(self, m, x):
        s = self.scale.get(x) if self.equal else None
        s = s or round(0.01 + m.rng.random() / 50, 6)
        self.scale[x] = s
        scale, zero = m.floats([s], "x_scale", []), self._zero(m, 1, [])
        shape = m.shape.get(x)
        q = m.op("QuantizeLinear", [x, scale, zero], shape)
        return m.op("DequantizeLinear", [q, scale, zero], shape)

    def _zero(self, m, n, dims):
        return m.value("zero", dims, b"\0" * n, I8)

    def activation(self, m, x):
        if self.kind != "ort":
            return self._pair(m, x)
        if x not in self.done:              # for example a network input
            self.done[x] = self._pair(m, x)
        return self.done[x]

    def skip(self, m, x):
        if self.kind == "ort":
            return self.activation(m, x)
        return self._pair(m, x) if self.residual else x

    def result(self, m, x):
        """Returns the tensor that consumers read: ONNX Runtime quantizes each output, and all
        consumers read its DQ."""
        if self.kind != "ort":
            return x
        y = self._pair(m, x)
        self.done[y] = y
        return y

    def weight(self, m, w, n, axis=0):
        scales = [round(0.001 * (i % 7 + 1), 6) for i in range(n)]
        scale = m.floats(scales, "w_scale")
        zero = self._zero(m, n, [n])
        shape = m.shape[w]
        if self.kind == "ort":
            q = m.weight(w + "_quantized", shape, I8)
        else:
            q = m.op("QuantizeLinear", [w, scale, zero], shape, axis=axis)
        return m.op("DequantizeLinear", [q, scale, zero], shape, axis=axis)

    def bias(self, m, name, n):
        if self.kind != "ort":
            return m.weight(name, [n])
        b = m.weight(name + "_quantized", [n], I32)
        scale = m.floats([0.0001] * n, "b_scale")
        zero = m.value("b_zero", [n], struct.pack("<%di" % n, *[0] * n), I32)
        return m.op("DequantizeLinear", [b, scale, zero], [n], axis=0)
