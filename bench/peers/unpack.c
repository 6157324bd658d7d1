/* What protobuf-c's generated code takes to unpack an ONNX model whole. */
#include "whole.h"

#include "onnx.pb-c.h"

int main(int argc, char **argv)
{
    struct whole file = read_whole(argc > 1 ? argv[1] : "");
    Onnx__ModelProto *model =
        onnx__model_proto__unpack(NULL, file.size, (const unsigned char *)file.bytes);

    if (!model)
        return 2;
    onnx__model_proto__free_unpacked(model, NULL);
    return 0;
}
