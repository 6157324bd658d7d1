/*
 * fusiondiff: functions that write models.  They mark tensors as outputs, apply the
 * edits that lint proposes, add outcomes as metadata, write the types of an engine into
 * its model, cut a part out, and write a model as a program or as a bug report.
 *
 * Each function reads the file of the model once more, and copies the bytes of whatever
 * it keeps.  Weights in other files stay there unless a comment states otherwise: write
 * the new model into the folder of the model.  A library that was built with
 * -DFSD_EDIT=OFF has neither these functions nor this header.
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

/** Writes a view as fsd_diff_view() does; in addition it has the views "tensors" and
 *  "retype". */
FSD_API enum fsd_status fsd_edit_view(const struct fsd_diff *diff, const char *view,
                                      const struct fsd_query *query, const char *format,
                                      const struct fsd_style *style, FILE *out,
                                      struct fsd_error *err);

/* ------------------------------------------------------------------------ marking */

/** Writes the model, with tensors marked as outputs: those that split the fusion of
 *  `query->break_at`, else all tensors that change no fusion.  The view "tensors" lists
 *  them.  If no mark splits a fusion, the function inserts an If with two equal
 *  branches that pass one of its tensors.
 *  @return FSD_OK; FSD_E_ARG if the model is no ONNX file, if `break_at` names nothing,
 *          or if its fusion cannot be split exactly; FSD_E_IO, FSD_E_MISMATCH if the
 *          model is gone or has changed since it was read; FSD_E_LIMIT for a result of
 *          more than 2 GiB; FSD_E_WRITE. */
FSD_API enum fsd_status fsd_diff_mark(const struct fsd_diff *diff,
                                      const struct fsd_query *query, FILE *out,
                                      struct fsd_error *err);

/* ------------------------------------------- the fusion that makes an engine wrong */

/** A search for the fusion that computes a wrong result, by engines that are rebuilt
 *  with some fusions split. */
struct fsd_bisection;

/** Whether the outputs of a rebuilt engine are right, wrong, or could not be judged. */
enum fsd_bisect_result { FSD_BISECT_GOOD, FSD_BISECT_BAD, FSD_BISECT_SKIP };

/** Begins a search among the fusions of an engine that computes wrong results.
 *  @param out set to the search on success, to NULL on failure; free it with
 *             fsd_bisection_free().
 *  @return what fsd_diff_open() returns. */
FSD_API enum fsd_status fsd_bisection_open(struct fsd_bisection **out,
                                           const struct fsd_options *opt,
                                           struct fsd_error *err);
/** Reads a saved search, and the model and engine that it names.
 *  @param opt  options whose model and engine are ignored.
 *  @return as fsd_bisection_open(); FSD_E_FORMAT if the file is no saved search;
 *          FSD_E_MISMATCH if the model or the engine has changed since it was saved. */
FSD_API enum fsd_status fsd_bisection_read(struct fsd_bisection **out, const char *path,
                                           const struct fsd_options *opt,
                                           struct fsd_error *err);
FSD_API void fsd_bisection_free(struct fsd_bisection *search); /**< may be NULL */

/** Saves the search as a file for fsd_bisection_read(). @return FSD_OK; FSD_E_WRITE. */
FSD_API enum fsd_status fsd_bisection_save(const struct fsd_bisection *search,
                                           FILE *out, struct fsd_error *err);

/** Returns whether the search is over: it proved that a fusion, or a set of fusions,
 *  causes the failure, or that no proof is possible. */
FSD_API bool fsd_bisection_done(const struct fsd_bisection *search);

/** Returns the path of the model. */
FSD_API const char *fsd_bisection_path(const struct fsd_bisection *search);

/** Writes the names of the tensors to mark as outputs in the next build, one per line.
 *  The list omits tensors that an If passes: only fsd_bisection_model() can write
 *  these.
 *  @return FSD_OK; FSD_E_WRITE. */
FSD_API enum fsd_status fsd_bisection_tensors(const struct fsd_bisection *search,
                                              FILE *out, struct fsd_error *err);

/** Writes the model of the next build. The tensors of fsd_bisection_tensors() are
 *  marked, and Ifs split the fusions that no mark splits.
 *  @param inlined  whether to copy weights in other files into the model, so that it
 *                  can be moved to any folder.
 *  @return as fsd_diff_mark(). */
FSD_API enum fsd_status fsd_bisection_model(const struct fsd_bisection *search,
                                            bool inlined, FILE *out,
                                            struct fsd_error *err);

/** Writes what to build next, or how the search ended.  @return FSD_OK; FSD_E_WRITE. */
FSD_API enum fsd_status fsd_bisection_next(const struct fsd_bisection *search,
                                           FILE *out, struct fsd_error *err);

/** Writes all results so far.  @return FSD_OK; FSD_E_WRITE. */
FSD_API enum fsd_status fsd_bisection_log(const struct fsd_bisection *search, FILE *out,
                                          struct fsd_error *err);

/** Adds the result of the build that fsd_bisection_next() requested, and writes what
 *  the result proves.
 *  @param rebuilt  that build: its engine and, if it was built from another file, its
 *                  model; NULL assumes, without proof, that the fusions changed as they
 *                  should.
 *  @return FSD_OK; FSD_E_ARG if the search is over;
 *          FSD_E_MISMATCH for the engine of another network; what fsd_diff_open()
 *          returns.  A failure leaves the search unchanged. */
FSD_API enum fsd_status fsd_bisection_take(struct fsd_bisection *search,
                                           enum fsd_bisect_result result,
                                           const struct fsd_options *rebuilt, FILE *out,
                                           struct fsd_error *err);

/** Reads the result of a build from a comparison that Polygraphy saved (`polygraphy run
 *  --save-accuracy-results`): bad if an output of the network failed in any iteration,
 *  good if all passed in each; the tensors that were marked do not count.
 *  @param out  GOOD or BAD on success.
 *  @return FSD_OK; FSD_E_IO; FSD_E_FORMAT; FSD_E_LIMIT; FSD_E_MISMATCH if no output
 *          failed and the comparison lacks an output. */
FSD_API enum fsd_status fsd_bisection_judge(const struct fsd_bisection *search,
                                            const char *path,
                                            enum fsd_bisect_result *out,
                                            struct fsd_error *err);

/** Reads the result of a build from the network's outputs: bad if an output differs
 *  from the saved one by more than the limit, or has a NaN or an Inf where the saved
 *  output has another value; else good. Tensors that are no outputs do not count.
 *  @param good     the right outputs, as numpy.savez() or Polygraphy saved them.
 *  @param outputs the build's outputs, saved in the same way; of several runs, the
 *         first counts.
 *  @param limit    the relative L2 error from which on an output is wrong; 0: 0.01.
 *  @param out      GOOD or BAD on success.
 *  @return FSD_OK; FSD_E_IO; FSD_E_FORMAT; FSD_E_LIMIT; FSD_E_MISMATCH if only one of
 *          the files has an output, or if an output cannot be compared. */
FSD_API enum fsd_status fsd_bisection_judge_values(const struct fsd_bisection *search,
                                                   const char *good,
                                                   const char *outputs, double limit,
                                                   enum fsd_bisect_result *out,
                                                   struct fsd_error *err);

/* ------------------------------------------------------------------------- fixing */

/** Which edits to apply.  Zero is the default of every field; NULL in place of the
 *  struct is all defaults. */
struct fsd_fix_options {
    const char *const *what; /**< ids of rules, or fingerprints of findings */
    unsigned n_what;         /**< 0: all findings */
    /** "TENSOR=VALUE": scales of tensors whose scale must be calibrated; the last
     *  entry for a tensor counts. Scales that the model has stay unchanged. */
    const char *const *scales;
    unsigned n_scales;
};

/** Writes the model with the edits that lint proposes. All other bytes stay unchanged,
 *  except for initializers that no node reads any more. The function lints the result
 *  before it writes it. It omits an edit that adds a finding which the model does not
 *  have, and also applies the edits that lint proposes for the result. It further omits
 *  an edit that needs a scale if neither the model nor `fix` has the scale, and all
 *  edits that fsd_linting_list_fixes() lists as not applied. Weights in other files
 *  stay there: write the fixed model into the folder of the model. The function reads
 *  the model's file once more, in the calling thread.
 *  @param fix  may be NULL.
 *  @param out receives an ONNX file, which is invalid after a failure.
 *  @return FSD_OK; FSD_E_UNSUPPORTED if no edit applies, with nothing written;
 *          FSD_E_ARG for a word of `fix` that names no rule, no finding or no tensor to
 *          calibrate, and for a model that was read from standard input; FSD_E_IO,
 *          FSD_E_MISMATCH if the file is gone or has changed since it was read;
 *          FSD_E_LIMIT if only the fixed model is larger than 2 GiB, which protobuf
 *          does not read; FSD_E_WRITE. */
FSD_API enum fsd_status fsd_linting_fix(const struct fsd_linting *linting,
                                        const struct fsd_fix_options *fix, FILE *out,
                                        struct fsd_error *err);

/** Returns whether the model has weights in other files, which must also be beside the
 *  fixed model; false if its file can no longer be read. */
FSD_API bool fsd_linting_has_external(const struct fsd_linting *linting);

/** Lists the edits of fsd_linting_fix(), with a reason for each that does not apply.
 *  @param fix     may be NULL.
 *  @param format  "text", "line" (how many apply); NULL: text.
 *  @return FSD_E_ARG as fsd_linting_fix(), and for another format; FSD_E_WRITE. */
FSD_API enum fsd_status fsd_linting_list_fixes(const struct fsd_linting *linting,
                                               const struct fsd_fix_options *fix,
                                               const char *format, FILE *out,
                                               struct fsd_error *err);

/* --------------------------------------------------------------------- annotating */

/** The kinds of files for viewers of models. */
enum fsd_annotation {
    FSD_ANNOTATE_MODEL,    /**< the model with unchanged bytes, and an entry of metadata
                                for each known fact about a node: `fusiondiff.fate`,
                                `.why`, `.layer`, `.kind`, `.requested`, `.realised`,
                                `.ms`, `.evidence` */
    FSD_ANNOTATE_LAYERS,   /**< the engine as an ONNX model: each layer is a node whose
                                operator is the type of the layer */
    FSD_ANNOTATE_NODE_DATA /**< JSON that Model Explorer shows beside the model */
};

/** Writes a file for a viewer of models.
 *  @param diff the run; for FSD_ANNOTATE_MODEL, the model's file is read once more.
 *  @return FSD_OK; FSD_E_ARG if the model is no ONNX file; FSD_E_IO, FSD_E_MISMATCH if
 *          the file is gone or has changed since it was read; FSD_E_WRITE. */
FSD_API enum fsd_status fsd_diff_annotate(const struct fsd_diff *diff,
                                          enum fsd_annotation as, FILE *out,
                                          struct fsd_error *err);

/* ----------------------------------------------------------------------- retyping */

/** Writes the model with the precision that a weakly typed engine chose: if a node
 *  runs in FP16, BF16 or FP32 in the engine, Casts and typed initializers make the
 *  model request that type. Inputs and outputs keep their types, and quantizers
 *  stay. The view "retype" lists the outcome for each node, and the types that the
 *  model cannot express. Weights in other files stay there and get a Cast: write the
 *  typed model into the folder of the model, whose file the function reads once
 *  more.
 *  @return FSD_OK; FSD_E_ARG if the model is no ONNX file; FSD_E_IO, FSD_E_MISMATCH if
 *          the file is gone or has changed since it was read; FSD_E_LIMIT for a result
 *          of more than 2 GiB; FSD_E_WRITE. */
FSD_API enum fsd_status fsd_diff_retype(const struct fsd_diff *diff, FILE *out,
                                        struct fsd_error *err);

/* --------------------------------------------------------------------- cutting out */

/** The nodes to cut out of a model: the union of those that the fields name. Zero is
 *  the default of every field. */
struct fsd_cut_options {
    const char *const *layers; /**< names, patterns or numbers of layers of the engine,
                                    meaning the nodes that they compute */
    unsigned n_layers;
    const char *const *groups; /**< likewise, and all layers that compute nodes together
                                    with these layers */
    unsigned n_groups;
    const char *const *nodes; /**< names or patterns of nodes */
    unsigned n_nodes;
    const char *const *from; /**< tensors, meaning the nodes after these tensors and
                                  before the tensors of `to` */
    unsigned n_from;
    const char *const *to; /**< tensors, meaning the nodes before these; if only one of
                                both is given, the part extends to the end of the
                                model */
    unsigned n_to;
    unsigned context;    /**< number of steps to neighboring nodes that are also cut
                              out */
    bool inline_weights; /**< copy weights in other files into the part; otherwise write
                              the part into the folder of the model */
    bool fails; /**< for a part that should fail like its model: replace missing files
                     of weights by constants, and unknown types by FP32 */
    const char *const *values; /**< files with values of the model's tensors, NumPy's
                                    (.npz) or Polygraphy's saved outputs, for
                                    fsd_cutting_write_inputs() */
    unsigned n_values;
    bool quoted; /**< for fsd_cutting_report(): as in struct fsd_style */
};

struct fsd_cutting;

/** Determines the contents of a part: the named nodes, the quantizers at their edges
 *  (except those of `from` and `to`), and the constants that all of these read.
 *  @param out  set on success, to NULL on failure; free it with fsd_cutting_free().
 *  @param opt as for fsd_diff_open(); `engine` may be NULL if no layers are named. The
 *              engine provides types and sizes that the model leaves open.
 *  @param err  may be NULL.
 *  @return FSD_OK; FSD_E_ARG for a word that names nothing, or a node in the body of an
 *          If, a Loop or a Scan; FSD_E_FORMAT for a model that has a cycle, a node
 *          before the producer of its input, a tensor without a producer, or two
 *          producers of one tensor; FSD_E_UNSUPPORTED if a tensor at the edge is a
 *          sequence or has an unknown type; and all that fsd_diff_open() returns. */
FSD_API enum fsd_status fsd_cutting_open(struct fsd_cutting **out,
                                         const struct fsd_options *opt,
                                         const struct fsd_cut_options *cut,
                                         struct fsd_error *err);

/** Frees the result of fsd_cutting_open(). @param cutting  may be NULL. */
FSD_API void fsd_cutting_free(struct fsd_cutting *cutting);

/** Writes the part as an ONNX model. Everything that it keeps has the same bytes as
 *  in the model, whose file the function reads once more.
 *  @return FSD_OK. Before anything is written: FSD_E_IO; FSD_E_FORMAT if files with
 *          weights are missing; FSD_E_MISMATCH if the model has changed since it was
 *          read; FSD_E_LIMIT for a part of more than 2 GiB. While the function writes:
 *          FSD_E_WRITE. */
FSD_API enum fsd_status fsd_cutting_write(const struct fsd_cutting *cutting, FILE *out,
                                          struct fsd_error *err);

/** Writes values for the inputs of the part, in the format of numpy.savez(): for each
 *  input, the values in the first of the files `values` that has a tensor of that name.
 *  Without such files, the function writes random values, the same in every call, with
 *  dynamic sizes of 1.
 *  @return FSD_OK. Before anything is written: FSD_E_MISMATCH if no file has an input,
 *          or a file has it with another type or other sizes; FSD_E_FORMAT for a file
 *          that is damaged or has no tensors; FSD_E_IO; FSD_E_LIMIT; FSD_E_UNSUPPORTED
 *          for a type that NumPy lacks, such as bf16, or more than 2 GiB. While the
 *          function writes: FSD_E_WRITE. */
FSD_API enum fsd_status fsd_cutting_write_inputs(const struct fsd_cutting *cutting,
                                                 FILE *out, struct fsd_error *err);

/** Writes the contents of the part as text.
 *  @param path   the path of the part, to add the commands that build and run it; NULL
 *                for none.
 *  @param alone  path of an engine or a build log of the part built alone, to add
 *                whether it fuses the nodes in the same way; NULL for none.
 *  @return FSD_OK, FSD_E_WRITE, and what fsd_diff_open() returns for `alone`. */
FSD_API enum fsd_status fsd_cutting_report(const struct fsd_cutting *cutting,
                                           const char *path, const char *alone,
                                           FILE *out, struct fsd_error *err);

/* ------------------------------------------------------------------------- as code */

/** The API that the Python code of a model uses. */
enum fsd_code_api {
    FSD_CODE_TENSORRT, /**< a program that defines the network with TensorRT's API and
                            builds it; it reads weights from the ONNX file by name */
    FSD_CODE_TORCH     /**< pseudo code in the style of PyTorch */
};

/** Zero is the default of every field. */
struct fsd_code_options {
    enum fsd_code_api api;
    unsigned depth; /**< number of name parts that form a module; 0: the number that
                         gives the shortest program */
    const struct fsd_cut_options *part; /**< only this part, with quantizers and
                                             constants as in fsd_cutting_open();
                                             `inline_weights` is ignored; NULL: the
                                             whole model */
};

struct fsd_coding;

/** Reads a model that will be written as code, and an engine built from it.
 *  @param out  set on success, to NULL on failure; free it with fsd_coding_free().
 *  @param opt  as for fsd_diff_open(); `engine` may be NULL.
 *  @param err  may be NULL.
 *  @return as fsd_diff_open(). */
FSD_API enum fsd_status fsd_coding_open(struct fsd_coding **out,
                                        const struct fsd_options *opt,
                                        struct fsd_error *err);

/** Frees the result of fsd_coding_open(). @param coding  may be NULL. */
FSD_API void fsd_coding_free(struct fsd_coding *coding);

/** Writes the model as Python. A node that the API cannot express becomes a
 *  statement that raises NotImplementedError. Names of the model occur only in
 *  literals and comments.
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
    const char *finding; /**< the id of a rule, whose worst finding is reported, or the
                              fingerprint of a finding; NULL: the worst finding of all;
                              for two builds: the worst difference */
    struct fsd_cut_options part; /**< instead of a finding: layers, groups or nodes of
                                      the later build; `context` applies to both */
    bool anonymous;              /**< replace names in all files */
    bool no_weights;             /**< replace the values of weights */
    const struct fsd_failure *failure; /**< the reason why the build failed: the nodes
                                            come from `part`, and `engine` is not read;
                                            NULL: the build did not fail */
};

struct fsd_issue;

/** Chooses the subject of the report, and cuts the part out of the model.
 *  @param out     set on success, to NULL on failure; free it with fsd_issue_free().
 *  @param before  the build before, as for fsd_comparison_open(); NULL: one build is
 *                 reported.
 *  @param opt     the build, as for fsd_diff_open().
 *  @param err     may be NULL.
 *  @return FSD_OK; FSD_E_ARG if there is no such finding or difference, or if names are
 *          to be replaced and a build is a snapshot; all that fsd_diff_open(),
 *          fsd_comparison_open() and fsd_cutting_open() return. */
FSD_API enum fsd_status fsd_issue_open(struct fsd_issue **out,
                                       const struct fsd_options *before,
                                       const struct fsd_options *opt,
                                       const struct fsd_issue_options *issue,
                                       struct fsd_error *err);

/** Frees the result of fsd_issue_open(). @param issue  may be NULL. */
FSD_API void fsd_issue_free(struct fsd_issue *issue);

/** Returns the name of the i-th file of the report, from 0: "issue.md",
 *  "layers.json", "part.onnx", "part.svg", if the report has them; NULL if there are
 *  fewer files. */
FSD_API const char *fsd_issue_file(const struct fsd_issue *issue, unsigned i);

/** Returns the program that built the engine, "trtexec" or "tensorrt_rtx", a static
 *  string; NULL if the report has no part to build. */
FSD_API const char *fsd_issue_builder(const struct fsd_issue *issue);

/** Reads an engine that was built from the part alone, and adds to the report
 *  whether the finding occurs in that engine.
 *  @param part    the file "part.onnx" of the report.
 *  @param engine  the engine's dump, or its verbose build log.
 *  @param shows set to whether the finding occurs; true if the report is not about a
 *          finding.
 *  @return FSD_OK; FSD_E_ARG if the report has no part; all that fsd_diff_open()
 *          returns. */
FSD_API enum fsd_status fsd_issue_verify(struct fsd_issue *issue, const char *part,
                                         const char *engine, bool *shows,
                                         struct fsd_error *err);

/** Writes the file of the report with that name.
 *  @return FSD_OK; FSD_E_ARG for a file that the report does not have; FSD_E_IO,
 *          FSD_E_MISMATCH if the model is gone or has changed since it was read;
 *          FSD_E_LIMIT; FSD_E_WRITE. */
FSD_API enum fsd_status fsd_issue_write(const struct fsd_issue *issue, const char *file,
                                        FILE *out, struct fsd_error *err);

/** Writes the list of new names and the names that they replace, as JSON: {"n1":
 *  "stem/conv", ...}.
 *  @return FSD_OK; FSD_E_ARG if no names were replaced; FSD_E_WRITE. */
FSD_API enum fsd_status fsd_issue_write_names(const struct fsd_issue *issue, FILE *out,
                                              struct fsd_error *err);

#ifdef __cplusplus
}
#endif

#endif
