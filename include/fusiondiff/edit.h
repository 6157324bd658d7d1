/*
 * fusiondiff: functions that write models. They mark tensors as outputs, apply the
 * edits that lint proposes, add the outcomes of nodes as metadata, write the types of
 * an engine into its model, cut a part out of a model, and write a model as a program
 * or as a bug report.
 *
 * Each function reads the file of the model once more, and copies the bytes that it
 * does not change. Weights in other files stay there unless a comment states otherwise,
 * so the caller must write the new model into the folder of the old one.  A library
 * that was built with -DFSD_EDIT=OFF has neither these functions nor this header.
 */
#ifndef FUSIONDIFF_EDIT_H
#define FUSIONDIFF_EDIT_H

#include <fusiondiff/fusiondiff.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Returns whether an ONNX model has weights in other files; false if its file cannot
 *  be read. */
FSD_API bool fsd_file_has_external(const char *path);

/** Writes a view as fsd_diff_view() does, and accepts two more views: "tensors" and
 *  "retype". */
FSD_API enum fsd_status fsd_edit_view(const struct fsd_diff *diff, const char *view,
                                      const struct fsd_query *query, const char *format,
                                      const struct fsd_style *style, FILE *out,
                                      struct fsd_error *err);

/* ------------------------------------------------------------------------ marking */

/** Writes the model, with some tensors marked as outputs. The view "tensors" lists
 *  these tensors. Without `query->break_at`, they are the tensors that can all be
 *  outputs at once without a change of any fusion. With `query->break_at`, they are the
 *  tensors that, as outputs, split the fusion of this layer or node. If no output can
 *  split this fusion, the function inserts Ifs instead. Each If passes on,
 *  unchanged, one tensor inside the fusion or at its border.
 *  @return FSD_OK; FSD_E_ARG if the model is no ONNX file, if `break_at` names no
 *          fusion, or if no suitable split of this fusion is known; FSD_E_IO if the
 *          model's file is gone; FSD_E_MISMATCH if this file has changed since it was
 *          read; FSD_E_LIMIT for a result of more than 2 GiB; FSD_E_WRITE. */
FSD_API enum fsd_status fsd_diff_mark(const struct fsd_diff *diff,
                                      const struct fsd_query *query, FILE *out,
                                      struct fsd_error *err);

/* ------------------------------------------- the fusion that makes an engine wrong */

/** A search for the fusion that computes a wrong result. For each step, the user
 *  rebuilds the engine with some fusions split. */
struct fsd_bisection;

/** The result of a rebuilt engine: its outputs are right, wrong, or could not be
 * judged. */
enum fsd_bisect_result { FSD_BISECT_GOOD, FSD_BISECT_BAD, FSD_BISECT_SKIP };

/** Begins a search among the fusions of an engine that computes wrong results.
 *  @param out set to the search on success, to NULL on failure; free it with
 *             fsd_bisection_free().
 *  @return as fsd_diff_open(). */
FSD_API enum fsd_status fsd_bisection_open(struct fsd_bisection **out,
                                           const struct fsd_options *opt,
                                           struct fsd_error *err);
/** Reads a saved search, and the model and the engine whose paths it states.
 *  @param opt  as for fsd_diff_open(); `model` and `engine` are ignored.
 *  @return as fsd_bisection_open(); FSD_E_FORMAT if the file is no saved search;
 *          FSD_E_MISMATCH if the model or the engine has changed since the search was
 *          saved. */
FSD_API enum fsd_status fsd_bisection_read(struct fsd_bisection **out, const char *path,
                                           const struct fsd_options *opt,
                                           struct fsd_error *err);
FSD_API void fsd_bisection_free(struct fsd_bisection *search); /**< may be NULL */

/** Saves the search as a file for fsd_bisection_read(). @return FSD_OK; FSD_E_WRITE. */
FSD_API enum fsd_status fsd_bisection_save(const struct fsd_bisection *search,
                                           FILE *out, struct fsd_error *err);

/** Returns whether the search is over. It is over if one fusion or a set of fusions is
 *  proved to cause the wrong result. It is also over if no further build can prove
 *  more. */
FSD_API bool fsd_bisection_done(const struct fsd_bisection *search);

/** Returns the path of the model; never NULL. */
FSD_API const char *fsd_bisection_path(const struct fsd_bisection *search);

/** Writes the names of the tensors to mark as outputs in the next build, one per line.
 *  If only an If can split a fusion, the list has no tensor for this fusion;
 *  fsd_bisection_model() adds the If.
 *  @return FSD_OK; FSD_E_WRITE. */
FSD_API enum fsd_status fsd_bisection_tensors(const struct fsd_bisection *search,
                                              FILE *out, struct fsd_error *err);

/** Writes the model of the next build. The tensors of fsd_bisection_tensors() are
 *  marked as outputs, and an If splits each fusion that no mark can split.
 *  @param inlined  true: copies weights from other files into the model, so that the
 *                  model can be moved to any folder.
 *  @return as fsd_diff_mark(). */
FSD_API enum fsd_status fsd_bisection_model(const struct fsd_bisection *search,
                                            bool inlined, FILE *out,
                                            struct fsd_error *err);

/** Writes, as text, which model to build next, or how the search ended.  @return
 * FSD_OK; FSD_E_WRITE. */
FSD_API enum fsd_status fsd_bisection_next(const struct fsd_bisection *search,
                                           FILE *out, struct fsd_error *err);

/** Writes, as text, the results of all builds so far.  @return FSD_OK; FSD_E_WRITE. */
FSD_API enum fsd_status fsd_bisection_log(const struct fsd_bisection *search, FILE *out,
                                          struct fsd_error *err);

/** Adds the result of the build that fsd_bisection_next() requested, and writes what
 *  the result proves.
 *  @param rebuilt  `rebuilt->engine` is the engine of that build. `rebuilt->model` is
 *          the file from which the engine was built; NULL: the model of the search. If
 *          `rebuilt` itself is NULL, the search assumes, without proof, that the
 *          fusions changed as requested.
 *  @return FSD_OK; FSD_E_ARG if the search is over; FSD_E_MISMATCH if the engine is of
 *          another network; and all that fsd_diff_open() returns. A failure leaves the
 *          search unchanged. */
FSD_API enum fsd_status fsd_bisection_take(struct fsd_bisection *search,
                                           enum fsd_bisect_result result,
                                           const struct fsd_options *rebuilt, FILE *out,
                                           struct fsd_error *err);

/** Reads the result of a build from a comparison that Polygraphy saved (`polygraphy run
 *  --save-accuracy-results`). Only the network's own outputs count, not the tensors
 *  that the search marked.
 *  @param out  on success: FSD_BISECT_BAD if an output failed in any iteration,
 *              FSD_BISECT_GOOD if all outputs passed in all iterations.
 *  @return FSD_OK; FSD_E_IO; FSD_E_FORMAT; FSD_E_LIMIT; FSD_E_MISMATCH if no output
 *          failed, but an iteration lacks an output. */
FSD_API enum fsd_status fsd_bisection_judge(const struct fsd_bisection *search,
                                            const char *path,
                                            enum fsd_bisect_result *out,
                                            struct fsd_error *err);

/** Compares the network's outputs in two files that numpy.savez() or Polygraphy saved.
 *  An output is wrong if its error exceeds `limit`. It is also wrong if it has a NaN or
 *  an Inf at an element where `good` has another value. Other tensors in the files do
 *  not count. Of a file with several runs, the first run counts.
 *  @param good  path of the file with the right outputs.
 *  @param outputs  path of the file with the outputs of the build.
 *  @param limit  the relative L2 error above which an output is wrong; 0 means 0.01.
 *  @param out  on success: FSD_BISECT_BAD if an output is wrong, else FSD_BISECT_GOOD.
 *  @return FSD_OK; FSD_E_IO; FSD_E_FORMAT; FSD_E_LIMIT; FSD_E_MISMATCH if a file
 *          lacks an output of the network, if an output cannot be compared, or if the
 *          network has no known outputs. */
FSD_API enum fsd_status fsd_bisection_judge_values(const struct fsd_bisection *search,
                                                   const char *good,
                                                   const char *outputs, double limit,
                                                   enum fsd_bisect_result *out,
                                                   struct fsd_error *err);

/* ------------------------------------------------------------------------- fixing */

/** The edits to apply. Zero is the default of every field. NULL in place of the struct
 *  means that all fields have their defaults. */
struct fsd_fix_options {
    const char *const *what; /**< ids of rules, or fingerprints of findings */
    unsigned n_what;         /**< 0: all findings */
    /** Calibrated scales, as "TENSOR=VALUE". They are for tensors whose scale the model
     *  lacks. If a tensor has several entries, the last one counts. */
    const char *const *scales;
    unsigned n_scales;
};

/** Writes the model with the edits that lint proposes. Scales and zero points that no
 *  node reads any more are removed. All other bytes stay unchanged. Before the function
 *  writes the fixed model, it lints this model. If lint then proposes more edits, they
 *  are applied, too. Two kinds of edits are omitted: an edit that causes a new finding,
 *  and an edit whose scale is neither in the model nor in `fix`.
 *  fsd_linting_list_fixes() lists the omitted edits. Weights in other files stay there,
 *  so the caller must write the fixed model into the folder of the old one. The
 *  function reads the model's file once more, in the calling thread.
 *  @param fix  may be NULL.
 *  @param out receives an ONNX file, which is invalid after a failure.
 *  @return FSD_OK; FSD_E_UNSUPPORTED if no edit applies, with nothing written;
 *          FSD_E_ARG if an entry of `fix->what` is neither a rule nor a finding, if an
 *          entry of `fix->scales` names a tensor that needs no scale, or if the model
 *          was read from standard input; FSD_E_IO if the model's file is gone;
 *          FSD_E_MISMATCH if this file has changed since it was read; FSD_E_LIMIT if
 *          the fixed model has more than 2 GiB, which protobuf does not read;
 *          FSD_E_WRITE. */
FSD_API enum fsd_status fsd_linting_fix(const struct fsd_linting *linting,
                                        const struct fsd_fix_options *fix, FILE *out,
                                        struct fsd_error *err);

/** Returns whether the model has weights in other files. The fixed model needs these
 *  files in its folder, too. The result is false if the model's file can no longer be
 *  read. */
FSD_API bool fsd_linting_has_external(const struct fsd_linting *linting);

/** Lists the edits of fsd_linting_fix(), with a reason for each edit that is not
 *  applied.
 *  @param fix     may be NULL.
 *  @param format  "text", or "line" for one line with the number of applied edits; NULL
 *          means "text".
 *  @return FSD_OK; FSD_E_ARG as fsd_linting_fix(), and for another format;
 *          FSD_E_WRITE. */
FSD_API enum fsd_status fsd_linting_list_fixes(const struct fsd_linting *linting,
                                               const struct fsd_fix_options *fix,
                                               const char *format, FILE *out,
                                               struct fsd_error *err);

/* --------------------------------------------------------------------- annotating */

/** The kinds of files for programs that display models. */
enum fsd_annotation {
    FSD_ANNOTATE_MODEL,    /**< the bytes of the model, with metadata entries for the
                                known facts about each node: `fusiondiff.fate`, `.why`,
                                `.layer`, `.kind`, `.requested`, `.realised`, `.ms`,
                                `.evidence` */
    FSD_ANNOTATE_LAYERS,   /**< the engine as an ONNX model: each layer is a node whose
                                operator is the type of the layer */
    FSD_ANNOTATE_NODE_DATA /**< node data in JSON, which Model Explorer shows beside the
                                model */
};

/** Writes a file for a program that displays models.
 *  @param diff  the run. For FSD_ANNOTATE_MODEL, the function reads the model's file
 *          once more.
 *  @return FSD_OK; FSD_E_ARG if the model is no ONNX file; FSD_E_IO if the model's file
 *          is gone; FSD_E_MISMATCH if it has changed since it was read; FSD_E_WRITE. */
FSD_API enum fsd_status fsd_diff_annotate(const struct fsd_diff *diff,
                                          enum fsd_annotation as, FILE *out,
                                          struct fsd_error *err);

/* ----------------------------------------------------------------------- retyping */

/** Writes the model with the precisions that a weakly typed build chose. The function
 *  adds Casts and changes types of initializers. Each node that the engine runs in
 *  FP16, BF16 or FP32 then has this type in the model, too. Inputs and outputs of the
 *  network keep their types, and quantizers stay. The view "retype" lists the result
 *  for each node, and the types that the model cannot express. Weights in other files
 *  stay there unchanged, and Casts convert them. The caller must therefore write the
 *  typed model into the folder of the old one. The function reads the model's file once
 *  more.
 *  @return FSD_OK; FSD_E_ARG if the model is no ONNX file; FSD_E_IO if the model's file
 *          is gone; FSD_E_MISMATCH if it has changed since it was read; FSD_E_LIMIT for
 *          a result of more than 2 GiB; FSD_E_WRITE. */
FSD_API enum fsd_status fsd_diff_retype(const struct fsd_diff *diff, FILE *out,
                                        struct fsd_error *err);

/* --------------------------------------------------------------------- cutting out */

/** The nodes to cut out of a model. The part has all nodes that `layers`, `groups`,
 *  `nodes`, or `from` and `to` select. Zero is the default of every field. */
struct fsd_cut_options {
    const char *const *layers; /**< names, patterns or numbers of layers of the engine:
                                    the nodes that these layers compute */
    unsigned n_layers;
    const char *const *groups; /**< like `layers`. Other layers that compute a node of a
                                    selected layer are selected, too */
    unsigned n_groups;
    const char *const *nodes; /**< names or patterns of nodes */
    unsigned n_nodes;
    const char *const *from; /**< names of tensors; selects the nodes after them, up to
                                  the tensors of `to` or, if `to` is empty, to the
                                  outputs of the model */
    unsigned n_from;
    const char *const *to; /**< names of tensors; selects the nodes before them, back
                                to the tensors of `from` or, if `from` is empty, to the
                                inputs of the model */
    unsigned n_to;
    unsigned context;    /**< the part also has the nodes that are at most this number
                              of steps away from a selected node */
    bool inline_weights; /**< copies weights from other files into the part; false:
                              the part must be in the folder of the model */
    bool fails; /**< true: the build of the model failed, and the build of the part
                     should fail, too. Missing files with weights are then no error:
                     constants replace the weights. FP32 replaces unknown types */
    const char *const *values; /**< for fsd_cutting_write_inputs(): paths of files with
                                    values of the model's tensors, which numpy.savez()
                                    (.npz) or Polygraphy saved */
    unsigned n_values;
    bool quoted; /**< for fsd_cutting_report(): puts quotes around names that a language
                      model may take for sentences */
};

struct fsd_cutting;

/** Determines the contents of a part: the nodes that `cut` selects, and the constants
 *  that they read. If neither `cut->from` nor `cut->to` is set, the part also has the
 *  quantizers on the inputs and outputs of these nodes, with their constants.
 *  @param out  set to the part on success, to NULL on failure; free it with
 *          fsd_cutting_free().
 *  @param opt  as for fsd_diff_open(); `engine` may be NULL if `cut` has no layers and
 *          no groups. The engine provides types and sizes that the model lacks.
 *  @param err  may be NULL.
 *  @return FSD_OK; FSD_E_ARG if a name, pattern or number in `cut` matches nothing, if
 *          a selected layer computes no node, if no node is selected, or if a requested
 *          node is in the body of an If, a Loop or a Scan; FSD_E_FORMAT if the model
 *          has a cycle, if a node comes before the producer of its input, or if a
 *          tensor has no producer or two producers; FSD_E_UNSUPPORTED if an input or
 *          output of the part is a sequence or has an unknown type; and all that
 *          fsd_diff_open() returns. */
FSD_API enum fsd_status fsd_cutting_open(struct fsd_cutting **out,
                                         const struct fsd_options *opt,
                                         const struct fsd_cut_options *cut,
                                         struct fsd_error *err);

/** Frees the result of fsd_cutting_open(). @param cutting  may be NULL. */
FSD_API void fsd_cutting_free(struct fsd_cutting *cutting);

/** Writes the part as an ONNX model. Nodes and weights of the part have the same bytes
 *  as in the model. The function reads the model's file once more.
 *  @return FSD_OK. Before anything is written: FSD_E_IO; FSD_E_FORMAT if files with
 *          weights are missing; FSD_E_MISMATCH if the model has changed since it was
 *          read; FSD_E_LIMIT for a part of more than 2 GiB. While the function writes:
 *          FSD_E_WRITE. */
FSD_API enum fsd_status fsd_cutting_write(const struct fsd_cutting *cutting, FILE *out,
                                          struct fsd_error *err);

/** Writes values for the inputs of the part, in the format of numpy.savez(). The values
 *  of an input come from the first file in `values` that has a tensor with the name of
 *  the input. If `values` is empty, the values are random, but the same in every call,
 *  and dynamic sizes are 1.
 *  @return FSD_OK. Before anything is written: FSD_E_MISMATCH if no file has a tensor
 *          for an input, or if this tensor has another type or other sizes than the
 *          input; FSD_E_FORMAT for a file that is damaged or has no tensors; FSD_E_IO;
 *          FSD_E_LIMIT; FSD_E_UNSUPPORTED for a type that NumPy lacks, such as bf16,
 *          and for values of more than 2 GiB. While the function writes:
 *          FSD_E_WRITE. */
FSD_API enum fsd_status fsd_cutting_write_inputs(const struct fsd_cutting *cutting,
                                                 FILE *out, struct fsd_error *err);

/** Writes the contents of the part as text.
 *  @param path  the path of the part, for the commands in the text that build and run
 *               the part. NULL: the text has no commands.
 *  @param alone  the dump or build log of an engine that was built from the part alone.
 *                The text then states whether this engine has the same fusions. NULL:
 *                no such statement.
 *  @return FSD_OK, FSD_E_WRITE, and what fsd_diff_open() returns for `alone`. */
FSD_API enum fsd_status fsd_cutting_report(const struct fsd_cutting *cutting,
                                           const char *path, const char *alone,
                                           FILE *out, struct fsd_error *err);

/* ------------------------------------------------------------------------- as code */

/** The API in whose terms the Python code of a model is written. */
enum fsd_code_api {
    FSD_CODE_TENSORRT, /**< a program that defines the network with TensorRT's API and
                            builds it; it reads weights from the ONNX file by name */
    FSD_CODE_TORCH     /**< pseudo code in the style of PyTorch */
};

/** Options for writing a model as code. Zero is the default of every field. */
struct fsd_code_options {
    enum fsd_code_api api;
    unsigned depth; /**< nodes are in one module if the first `depth` parts of their
                         names are equal; 0: the depth with the shortest program */
    const struct fsd_cut_options *part; /**< writes only this part of the model, with
                                             the quantizers and constants that
                                             fsd_cutting_open() adds; `inline_weights`
                                             is ignored. NULL: the whole model */
};

struct fsd_coding;

/** Reads a model that will be written as code, and an engine built from it.
 *  @param out  set to the model on success, to NULL on failure; free it with
 *          fsd_coding_free().
 *  @param opt  as for fsd_diff_open(); `engine` may be NULL.
 *  @param err  may be NULL.
 *  @return as fsd_diff_open(). */
FSD_API enum fsd_status fsd_coding_open(struct fsd_coding **out,
                                        const struct fsd_options *opt,
                                        struct fsd_error *err);

/** Frees the result of fsd_coding_open(). @param coding  may be NULL. */
FSD_API void fsd_coding_free(struct fsd_coding *coding);

/** Writes the model as Python. A node that the API cannot express becomes a statement
 *  that raises NotImplementedError. Names of the model stand only in literals and
 *  comments, so they cannot be executed.
 *  @param err  may be NULL.
 *  @return FSD_OK. Before anything is written: FSD_E_ARG and FSD_E_FORMAT as
 *          fsd_cutting_open(). While the function writes: FSD_E_WRITE. */
FSD_API enum fsd_status fsd_coding_write(const struct fsd_coding *coding,
                                         const struct fsd_code_options *opt, FILE *out,
                                         struct fsd_error *err);

/* ------------------------------------------------------------------ bug reports */

/** The contents of a report for the maintainers of a builder.  Zero is the default of
 *  every field. */
struct fsd_issue_options {
    const char *finding; /**< the fingerprint of the finding to report, or the id of a
                              rule, for its worst finding. NULL: the worst finding of
                              all rules. If there are two builds, this field is ignored:
                              without `part`, the worst difference is reported */
    struct fsd_cut_options part; /**< reports these layers, groups or nodes instead of a
                                      finding. If there are two builds, these are
                                      layers, groups or nodes of the later build.
                                      `part.context` also applies to a finding */
    bool anonymous;              /**< replaces names in all files */
    bool no_weights;             /**< replaces the values of weights */
    const struct fsd_failure *failure; /**< the reason why the build failed. The report
                                            is then about the nodes in `part`, and
                                            `engine` is not read. NULL: the build did
                                            not fail */
};

struct fsd_issue;

/** Chooses the finding or the nodes to report, and cuts the part with these nodes out
 *  of the model.
 *  @param out  set to the report on success, to NULL on failure; free it with
 *          fsd_issue_free().
 *  @param before  the earlier of two builds, as for fsd_comparison_open(); NULL: the
 *                 report is about one build.
 *  @param opt  the build, or the later of two builds, as for fsd_diff_open().
 *  @param err     may be NULL.
 *  @return FSD_OK; FSD_E_ARG if there is no such finding or difference, or if
 *          `anonymous` is set and a build is a snapshot; and all that fsd_diff_open(),
 *          fsd_comparison_open() and fsd_cutting_open() return. */
FSD_API enum fsd_status fsd_issue_open(struct fsd_issue **out,
                                       const struct fsd_options *before,
                                       const struct fsd_options *opt,
                                       const struct fsd_issue_options *issue,
                                       struct fsd_error *err);

/** Frees the result of fsd_issue_open(). @param issue  may be NULL. */
FSD_API void fsd_issue_free(struct fsd_issue *issue);

/** Returns the name of the i-th file of the report, from 0; NULL if there are fewer
 *  files. A report has "issue.md" and, depending on its subject, "layers.json",
 *  "part.onnx" and "part.svg". */
FSD_API const char *fsd_issue_file(const struct fsd_issue *issue, unsigned i);

/** Returns the name of the command-line program that can build the part: "trtexec" or
 *  "tensorrt_rtx". The string is static. Returns NULL if the report has no part, or if
 *  it is about a failed build. */
FSD_API const char *fsd_issue_builder(const struct fsd_issue *issue);

/** Reads an engine that was built from the part alone. The report then states whether
 *  the finding occurs in that engine.
 *  @param part  path of the file "part.onnx" of the report.
 *  @param engine  path of the engine's dump, or of its verbose build log.
 *  @param shows  set to true if the finding occurs in the engine, or if the report is
 *          not about a finding; else to false.
 *  @return FSD_OK; FSD_E_ARG if the report has no part; and all that fsd_diff_open()
 *          returns. */
FSD_API enum fsd_status fsd_issue_verify(struct fsd_issue *issue, const char *part,
                                         const char *engine, bool *shows,
                                         struct fsd_error *err);

/** Writes one file of the report.
 *  @param file  a name that fsd_issue_file() returns.
 *  @return FSD_OK; FSD_E_ARG for a file that the report does not have; FSD_E_IO if the
 *          model's file is gone; FSD_E_MISMATCH if it has changed since it was read;
 *          FSD_E_LIMIT; FSD_E_WRITE. */
FSD_API enum fsd_status fsd_issue_write(const struct fsd_issue *issue, const char *file,
                                        FILE *out, struct fsd_error *err);

/** Writes the new names, and the original names that they replace, as JSON: {"n1":
 *  "stem/conv", ...}.
 *  @return FSD_OK; FSD_E_ARG if no names were replaced; FSD_E_WRITE. */
FSD_API enum fsd_status fsd_issue_write_names(const struct fsd_issue *issue, FILE *out,
                                              struct fsd_error *err);

#ifdef __cplusplus
}
#endif

#endif
