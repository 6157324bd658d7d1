/*
 * The meanings of words in TensorRT's engines.  The source of a row is the document or
 * the maintainer that explains the word.  If a row has no source, its meaning is
 * derived from engines whose model is known.  To add a word, add a row.
 */
#include "read/trt/trt.h"

#define TYPE   FSD_GLOSS_TYPE
#define PART   FSD_GLOSS_PART
#define KERNEL FSD_GLOSS_KERNEL
#define GUIDE  "TensorRT Developer Guide"
#define THREAD "NVIDIA/TensorRT, issue "

const struct fsd_gloss fsd_trt_glossary[] = {
    /* The types of layers that compute. */
    {"CaskConvolution", NULL, TYPE,
     "A convolution by a precompiled kernel of NVIDIA's CASK library. The kernel's "
     "name lists the operators that are fused into it: bias, activation, residual "
     "addition.",
     "The library has kernels of many tile sizes and types; the builder times the "
     "kernels that fit the layer and keeps the fastest one, the tactic.",
     NULL, NULL},
    {"CaskGemmConvolution", NULL, TYPE,
     "A convolution that runs as a matrix multiplication (GEMM), for example a "
     "convolution with a kernel of size 1.",
     NULL, NULL, NULL},
    {"CaskDeconvolution", "CaskDeconvolution*,GemmDeconvolution,CudnnDeconvolution",
     TYPE, "A transposed convolution (ConvTranspose).", NULL, NULL, NULL},
    {"CaskFlattenConvolution", NULL, TYPE,
     "A convolution over flattened dimensions, by a CASK kernel.", NULL, NULL, NULL},
    {"CaskGemmMatrixMultiply", "Cask*MatrixMultiply*,MatrixMultiply*,Cublas*MatMul*",
     TYPE, "A matrix multiplication (MatMul, Gemm) by a precompiled kernel.", NULL,
     NULL, NULL},
    {"CaskPooling", "CaskPooling,TiledPooling,CudaPooling,CudnnPooling,maxpool,avgpool",
     TYPE,
     "A pooling layer. CaskPooling runs a kernel of the CASK library; TiledPooling and "
     "CudaPooling run a kernel of the builder. In a compiled region, the types of "
     "such layers are maxpool and avgpool.",
     NULL, NULL, NULL},
    {"CaskSoftMax", "CaskSoftMax*,SoftMax*,CudaSoftMax*", TYPE, "A Softmax.", NULL,
     NULL, NULL},
    {"ConvActPool", NULL, TYPE,
     "A convolution, its activation and a pooling in one kernel.", NULL, NULL, NULL},
    {"CudaDepthwiseConvolution", "*DepthwiseConvolution*,*depthwise*", TYPE,
     "A convolution with one filter per channel.",
     "Such a kernel cannot use tensor cores; it is limited by memory bandwidth.", NULL,
     NULL},
    {"FusedConvActConvolution", NULL, TYPE,
     "A convolution with its activation, in one kernel.", NULL, NULL, NULL},
    {"PWN", "PWN(*,* + PWN(*,fusedPointwiseNode(*", PART,
     "PWN(a, b) is a pointwise node: one generated kernel that computes the operators "
     "a and b (such as Add, Mul, Relu, Sigmoid, Clip) element by element. In "
     "`A + PWN(b)`, the kernel of A also computes b.",
     "A pointwise node that is not fused into another layer's kernel reads and writes "
     "whole tensors, but computes little. Memory bandwidth therefore limits the node.",
     "`patterns` states why an activation or addition was not fused into the "
     "convolution before it.",
     THREAD "2525; " GUIDE ", PointWise fusion"},
    {"PointWise", "PointWise*", TYPE,
     "The type of layers called PWN(...): pointwise operators in one generated kernel.",
     NULL, "Run `explain PWN`.", GUIDE ", PointWise fusion"},
    {"ElementWise", "ElementWise*,ELEMENTWISE", TYPE,
     "An addition, a product or another operator of two tensors, not fused with other "
     "operators.",
     NULL, NULL, NULL},
    {"Scale", NULL, TYPE,
     "A layer that multiplies by a constant and adds a constant, per channel or per "
     "tensor. It computes a BatchNormalization or, in TensorRT 8.0, a quantizer.",
     NULL, NULL, NULL},
    {"Shuffle",
     "Shuffle,SHUFFLE,reshape_before_*,reshape_after_*,transpose_before_*,"
     "transpose_after_*,unsqueeze_node_after_*,copied_squeeze_after_*,squeeze_after_*",
     TYPE,
     "A Reshape, Transpose, Squeeze or Unsqueeze. The builder adds the "
     "layers reshape_before_X, transpose_before_X and unsqueeze_node_after_X "
     "if layer X needs tensors of a different shape than node X in the model.",
     "A Reshape takes no time if the bytes keep their order; a Transpose copies the "
     "data.",
     NULL, NULL},
    {"Plugin", "Plugin*,PluginV2*,PluginV3*,*_TRT", TYPE,
     "A layer that runs a plugin: code that TensorRT calls but cannot analyze.",
     "TensorRT fuses no other layer with a plugin, and the plugin's "
     "layer uses only types and formats that the plugin supports.",
     NULL, GUIDE ", Extending TensorRT with custom layers"},
    /* Compiled regions. */
    {"ForeignNode", "ForeignNode,*{ForeignNode\\[*,Myelin,MyelinGraph*", PART,
     "{ForeignNode[A...B]} is a part of the model, from A to B, that TensorRT hands "
     "to its compiler, Myelin. A and B are the names of the part's first and last "
     "node, or the names of weights.",
     "TensorRT 8 and 9 list the part as one layer, without its kernels. "
     "TensorRT 10 lists each kernel if the profiling verbosity is detailed.",
     "`inside` lists the nodes that the dump or log proves to be in the part.",
     THREAD "1782, 2576"},
    {"Myelin", NULL, TYPE,
     "A region that the compiler Myelin builds. Myelin generates and fuses kernels, "
     "above all for attention, matrix multiplications and pointwise operators.",
     NULL, NULL, THREAD "1782"},
    {"kgen", NULL, TYPE,
     "A kernel that the compiler generates (kgen: kernel generation). The "
     "kernel computes several operators between matrix multiplications: "
     "pointwise operators, reductions, normalizations, Softmax, data movement.",
     "Memory bandwidth limits such a kernel in most engines.",
     "`inside LAYER` lists the kernel's nodes.", NULL},
    {"gemm", "gemm,*gemm_mm*", TYPE, "A matrix multiplication of a compiled region.",
     NULL, NULL, NULL},
    {"correlation", "correlation,deconv", TYPE,
     "A convolution of a compiled region (deconv: a transposed convolution).", NULL,
     NULL, NULL},
    {"runtime_fusion", "runtime_fusion,runtime_function,fusion", TYPE,
     "Operators of a compiled region that become one kernel. TensorRT generates the "
     "kernel at build time; TensorRT for RTX generates it when the engine is first "
     "loaded on the GPU (just-in-time compilation).",
     NULL, NULL, NULL},
    {"_myl", "__myl_*,*_myl[0-9]*_[0-9]*", PART,
     "The name that the compiler gives a kernel: __myl_, the first letters "
     "of each operator in the kernel (__myl_AddMulSum), the number of the "
     "region (_myl3), and the number of the kernel in the region (_5).",
     "The numbers change between builds of the same model: they do not identify a "
     "kernel.",
     "`compare` pairs such kernels by the nodes that they compute.", NULL},
    {"__mye", "__mye*,*.mye*", PART, "A tensor or constant that the compiler created.",
     NULL, NULL, NULL},
    {"custom_layer", NULL, TYPE,
     "A layer that a compiled region hands back to TensorRT.", NULL, NULL, NULL},
    {"shape_call",
     "shape_call,ShapeHostToDevice,DeviceToShapeHost,shape_host_to_device,"
     "device_to_shape_host",
     TYPE,
     "A layer that computes tensor sizes on the CPU, or copies them between CPU "
     "and GPU.",
     "At DeviceToShapeHost, the CPU waits until the GPU "
     "has computed the tensor sizes that depend on data.",
     NULL, NULL},
    {"signal", "signal,wait,memset,jmp,cjmp", TYPE,
     "Layers by which the compiler controls streams and branches: "
     "signal and wait make one stream wait for another, memset "
     "clears a buffer, jmp and cjmp are the jumps of an If or Loop.",
     "These layers compute no value of the model. "
     "A cjmp reads the condition of its If or Loop.",
     NULL, NULL},
    {"TrainStation", "TrainStation,*\\[trainStation[0-9]*\\]*", TYPE,
     "A layer that the builder adds where sizes depend on data (after NonZero, NMS): "
     "the CPU reads the sizes and allocates memory for the tensors.",
     "The CPU waits for the GPU at this layer, although the layer computes no node "
     "and has no tensors.",
     NULL, NULL},
    /* Data movement. */
    {"Reformat",
     "Reformat,MyelinReformat,Reformatting CopyNode*,*Reformatted *,REFORMAT", TYPE,
     "A copy that changes the type or layout of a tensor. The builder inserts "
     "`Reformatting CopyNode for Input Tensor 0 to X` before X. A Reformat whose "
     "Origin is QDQ, CAST, SLICE or IDENTITY computes a node of the model.",
     "An inserted Reformat reads and writes a whole tensor and computes no node.",
     "`reformats` states the cause of each such layer and how to remove the layer.",
     GUIDE ", Engine inspector"},
    {"copy", "COPY,* copy,*_copy_output", PART,
     "`X copy` copies a tensor to its place in the output of a Concat, or copies a "
     "part of the input of a Slice or Split.",
     "A Concat needs no such copy if the layers before "
     "it can write directly into the Concat's output.",
     "`reformats` lists such copies with their causes.", NULL},
    {"NoOp", "NoOp,noop", TYPE,
     "A layer that does nothing at run time: a Reshape, or a Reformat between equal "
     "formats.",
     NULL, NULL, NULL},
    {"Constant", "Constant,CONSTANT", TYPE,
     "A layer that holds weights or another constant.", NULL, NULL, NULL},
    {"Quantize", "Quantize,Dequantize,DynamicQuantize,QUANTIZE,DEQUANTIZE", TYPE,
     "A quantizer that runs as a layer of its own.",
     "TensorRT fuses a well-placed Q/DQ pair into the layers around the pair.",
     "Run `explain quantize/standing`.", NULL},
    {"DLA", "DLA,* to nvm,* from nvm,*FinishNvmRegion*,\\[DlaLayer\\]*", TYPE,
     "A part of the network that runs on the deep learning accelerator of a Jetson or "
     "Drive. `X to nvm` and `X from nvm` copy a tensor between the GPU's and the DLA's "
     "memory format.",
     "Each change between the GPU and the DLA costs two copies and a "
     "synchronization.",
     NULL, GUIDE ", Working with DLA"},
    /* Names. */
    {"+", "* + *", PART,
     "`A + B` is vertical fusion: one kernel computes A, and then computes B from the "
     "result of A.",
     NULL, NULL, THREAD "2525"},
    {"||", "* || *", PART,
     "`A || B` is horizontal fusion: one kernel computes A and B from the "
     "same input. An example is the Q, K and V projections of an attention.",
     NULL, NULL, THREAD "2525"},
    {"_clone_", "*_clone_[0-9]*", PART,
     "`X_clone_1` is a copy of node X. If a quantizer, constant or cheap operator "
     "has several consumers, the builder may give each consumer its own copy.",
     NULL, NULL, NULL},
    {"ONNXTRT_", "ONNXTRT_*,*ONNXTRT_*", PART,
     "A layer that TensorRT's ONNX parser added for a node: a cast, a broadcast, a "
     "computation of sizes.",
     NULL, NULL, "onnx-tensorrt, ImporterContext"},
    {"(Unnamed Layer* N)", "*(Unnamed Layer\\* [0-9]*", PART,
     "A layer that has no name in the network; TensorRT names it by its number and "
     "type. Parsers before TensorRT 9 add such layers for constants and sizes.",
     NULL,
     "Give the nodes unique names: fusiondiff then finds their layers more reliably.",
     NULL},
    {"[profile N]", "* \\[profile [0-9]*\\]", PART,
     "A layer of optimization profile N. An engine with several "
     "profiles contains each layer once for each profile.",
     NULL, "--opt-profile=N selects one profile.",
     GUIDE ", Working with dynamic shapes"},
    /* Kernels. */
    {"xmma", "*xmma*", KERNEL,
     "A precompiled kernel of NVIDIA for matrix multiplication and convolution with "
     "tensor cores. Its name states the GPU generation (sm80), operation (fprop), "
     "types, layouts, tile and stages.",
     NULL, NULL, NULL},
    {"sm80", "sm[0-9][0-9],sm[0-9][0-9]_*,sm1[0-9][0-9]_*", KERNEL,
     "The GPU generation that the kernel is made for: sm75 Turing, sm80 and sm86 "
     "Ampere, sm87 Orin, sm89 Ada, sm90 Hopper, sm100 and sm120 Blackwell.",
     "A GPU runs kernels of older generations, too.", NULL, NULL},
    {"fprop", "*fprop*", KERNEL,
     "fprop (forward propagation) is a convolution; dgrad is a transposed convolution "
     "(ConvTranspose).",
     NULL, NULL, NULL},
    {"implicit_gemm", "*implicit_gemm*,*implicit_convolve*", KERNEL,
     "The convolution runs as a matrix multiplication, but its input is not copied "
     "into a matrix first.",
     NULL, NULL, NULL},
    {"i8i8_i8i32_f32", "*[fi][0-9]*[fi][0-9]*_[fi][0-9]*[fi][0-9]*_*", KERNEL,
     "The types of the kernel's two inputs, output, accumulator and epilogue. For "
     "example, f16f16_f16f32_f32 means FP16 inputs and output, and an FP32 "
     "accumulator and epilogue. A tf32 kernel rounds FP32 inputs to a mantissa of 10 "
     "bits.",
     NULL, NULL, NULL},
    {"nhwckrsc_nhwc", "*nhwc*", KERNEL,
     "Channels-last layouts of the kernel's input, weights and output.", NULL, NULL,
     NULL},
    {"tilesize128x64x32", "*tilesize*,*tile[0-9]*x[0-9]*", KERNEL,
     "The part of the output that one thread block computes (128 x 64), and the number "
     "of products that one step adds to each sum (32). Large tiles suit large layers.",
     NULL, NULL, NULL},
    {"stage4", "*_stage[0-9]*", KERNEL,
     "The number of memory loads that are in flight while the kernel computes.", NULL,
     NULL, NULL},
    {"tensor16x8x16", "*tensor[0-9]*x[0-9]*", KERNEL,
     "The kernel uses tensor-core instructions of this shape.", NULL, NULL, NULL},
    {"simt", "*simt*,*ffma*,*scudnn*,*sgemm*", KERNEL,
     "The kernel multiplies without tensor cores.",
     "In FP16 or INT8 such a kernel is several times slower than a kernel that uses "
     "tensor cores.",
     "Run `explain precision/no-tensor-cores`.", NULL},
    {"splitk", "*split[kK]*", KERNEL,
     "Several thread blocks add up parts of the same sum. This suits layers with few "
     "outputs and long sums.",
     NULL, NULL, NULL},
    {"fmha", "*fmha*,*_mha_*,*gemm_mha*", KERNEL,
     "Fused multi-head attention: one kernel computes both matrix products and the "
     "Softmax.",
     "The scores are never written to memory.",
     "`patterns` lists the attentions that are not fused, with the reasons.", NULL},
    {"winograd", "*winograd*", KERNEL,
     "A convolution with a filter of size 3, computed by "
     "Winograd's method, which needs fewer multiplications.",
     NULL, NULL, NULL},
    {"tactic", NULL, KERNEL,
     "One way to compute a layer: a kernel with its tile, type and layout. The builder "
     "times several tactics and keeps the fastest one.",
     "Measured times vary, so two builds may choose "
     "different tactics; a shared timing cache prevents this.",
     NULL, GUIDE ", Timing cache"},
    {0}};

/* ------------------------------------------------------------------- words alone */

/* The words, in lower case, in the names of kernels, layer types, layouts, flags,
 * options, GPUs and TensorRT's plugins.  A report whose names are replaced keeps these
 * words, because they reveal nothing about the model. */
const char fsd_trt_words[] =
    "access accfloat act ada agx algorithms aligna alignc alignment all ampere "
    "anchor auxiliary avgpool batched bert best bf blackwell bool bott builder "
    "caches calibration call capability cas cask channel cjmp clipped cluster "
    "coalesced compatibility compatible compute conc condition constraints "
    "convolution copy copyx core cores correlation cosine cpu cublas cuda cudnn "
    "cums custom cutlass cx data debug decode deconv deconvolution deformable "
    "depthwise detailed detection detectron device dgrad direct disable "
    "disabled dla dnnl double down dram drive driver due efficient enabled "
    "engine epifadd epilogue eql error etc execution explicit fallback false "
    "ffma first flash floo flt fmha format formats four fprop fresh fusion fw "
    "fwd gath gb geforce gemvx generate generation gh gib gnor gpu gqa graph "
    "gtr hardware hbm hmma hopper host icudnn imma implicit indexed inor io "
    "iota isin isna iterations jetson jmp kcrs kgen kgenlse kib laptop large "
    "launch layernorm layers ldg ldgsts lean limit limits lt major maxpool maxr "
    "mea medium memory memset mha mib mig minr mma move ms mse multiply "
    "multiscale myelin myl names nan nano native nchwkcrs network nhw nhwckrsc "
    "nhwcx nms nn no noobey nt nvl nvtx obey off on only op optimization orin "
    "outputs parallel param pascal pcie persistent pipelined platform plugin "
    "plugins pooling precision priorbox profile profiles profiling prologue "
    "propagate proposal pyramid qdq quadro refit refittable reformat region "
    "reject rel reorg repl resh resi restriction reve rmse roun row rt rtx runs "
    "runtime safe scat scudnn sele serial shapes shared shuffle sigm signal "
    "simple simt slic sliced sm small smem snr soft sort source sources "
    "sparsity special spin splitk src stage stages standard static station "
    "stream streamk streams strict stride strided strideh stridew strip "
    "stripping strongly stronglytyped sts stub super swizzle sxm tactic tactics "
    "tensorop tesla thirty thor threads ti tiled tilesize tiling timing titan "
    "tma tn topk tp tq tr train tran transfers transformer ts tt turing two "
    "typed types uint unit unroll utma vec vect vectorized verbosity version "
    "vertical volta voxel wait warp warpgroup warpsize wd weakly wgmma wgrad "
    "wide windowsize wise without wo workspace xavier xmma xregs ";
