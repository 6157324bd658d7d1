/*
 * Reads the operator sets that a file imports. The file need not be a model. The field
 * with the graph and its weights is skipped.
 */
#include "model/onnx/onnx.h"
#include "model/onnx/wire.h"

#include <onnx.pb-c.h>

bool fsd_onnx_imports(const struct fsd_file *file, const char *domain)
{
    const uint32_t set =
        fsd_wire_number(&onnx__model_proto__descriptor, "opset_import");
    const uint32_t name =
        fsd_wire_number(&onnx__operator_set_id_proto__descriptor, "domain");
    struct fsd_slice model = {(const char *)file->bytes, file->size};
    struct fsd_wire_block field, part;

    while (fsd_wire_take_of(file, &model, &field))
        while (field.number == set && fsd_wire_take_of(file, &field.bytes, &part))
            if (part.number == name &&
                fsd_slice_is(fsd_wire_read(file, part.bytes), domain))
                return true;
    return false;
}
