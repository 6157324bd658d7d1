/* Prints results as text with one fact per line, for the cases of tests/unit/cases.
 * Usual facts are left out, such as that all nodes are aligned. */
#ifndef FSD_TESTS_SHOW_H
#define FSD_TESTS_SHOW_H

#include "change/compare/exports.h"
#include "change/compare/matrix.h"
#include "judge/gate/gate.h"

/** Reads a state from the text of a snapshot, which lacks its first and last line. A
 * wrong text fails the test. */
struct fsd_state *read_state(const char *text);

/** Prints a state as a snapshot without file names. */
void show_state(const struct fsd_state *s, FILE *out);

void show_compare(const struct fsd_compare *c, FILE *out);
void show_align(const struct fsd_compare *c, FILE *out);
void show_matrix(const struct fsd_matrix *m, FILE *out);
void show_exports(const struct fsd_exports *e, FILE *out);

/** Prints the findings and, for each rule with a budget, the used part of the budget.
 * @param skipped also list the rules that could not be checked */
void show_findings(const struct fsd_findings *found, bool skipped, FILE *out);
void show_verdict(const struct fsd_verdict *v, FILE *out);

/** Prints the quantizers of a model, and the tensors with quantized values. */
struct fsd_lint;
void show_lint(const struct fsd_lint *l, FILE *out);

/** Prints what builders refuse, by reason: the text, the targets, the operators, and
 * the types that the reason is about; then the operators without an importer.
 * @param targets,operators words between blanks */
void show_refusals(const char *targets, const char *operators, FILE *out);

/** Prints all fusion rules. */
void show_fusion_rules(FILE *out);

/** Prints why a builder splits the blocks of a model, once for each line of `changes`.
 * @param builder "rtx"
 * @param changes lines "LABEL: OLD => NEW & OLD => NEW": what replaces what in the text
 *        of the model; a semicolon is a new line. "LABEL": the model itself */
void show_split(const char *model, const char *builder, const char *changes, FILE *out);

/** Prints which exporter placed the quantizers of each model, and where: the type of
 * the first, and how many are after operators and before products.
 * @param models lines "FACTS; FACTS" */
void show_styles(const char *models, FILE *out);

/** Prints the ways to split each kernel. */
void show_ways(const struct fsd_diff *d, FILE *out);

/** Prints the nodes that can have added each layer.
 * @param log a log that states an error
 * @param layers lines such as "(Unnamed Layer* 9) [Recurrence]" */
void show_unnamed(const char *model, const char *log, const char *layers, FILE *out);

/** Prints how many layers without a name the node `d` of each model adds. The parser
 * reads `d`, and then the node `next`, which adds 0 or 1 such layers. For each of the
 * two nodes, it adds a layer that has a name; for `d`, also a helper.
 * @param models lines "OPERATOR: FACTS; FACTS" */
void show_added(const char *models, FILE *out);

/** Prints where a build of the model failed, for each line of `messages`. A line is a
 * log whose lines are separated by " ;; ":
 *     E it is odd       the builder reports an error
 *     N sum             the builder found no implementation of the node `sum`
 *     [V] ...           a line of TensorRT's log, without its date
 *     [8] ...           a line without a date
 * @param unread the nodes are known from the log only, because the file of the model
 *        cannot be read
 * @param tries also print what the user should try */
void show_messages(const char *model, const char *messages, bool unread, bool tries,
                   FILE *out);

/** Prints the layers that ONNX Runtime's reader finds in an optimized model.
 * @param model NULL: none
 * @param session the optimized model, drawn as a model. Constants have no value
 * @param list a list of the nodes of each execution provider; NULL: none */
void show_session(const char *model, const char *session, const char *list, FILE *out);

/** Prints what is concluded from routes: the knobs, the routes with their values, the
 * steps, the effects, and the best route.
 * @param routes lines "SETTINGS | SETTINGS FOUND IN THE BUILD | BUILD | MS loss=L
 *        failed"; "-": none. BUILD is a number from 1
 * @param usual the usual settings; NULL: none
 * @param most_loss the limit of a search for the loss; NULL: there is no search */
void show_routes(const char *routes, const char *usual, const char *most_loss,
                 struct fsd_state *const *builds, FILE *out);

/** Prints memory, and sums by operator and by name scope.
 *  @param depth the depth of scopes; 0: the default */
void show_sums(const struct fsd_diff *d, unsigned depth, FILE *out);

/** Prints the class of time of each layer, then the sums of each class. */
void show_spent(const struct fsd_diff *d, FILE *out);

/** Prints bytes, multiply-adds and times of layers, then of nodes. */
void show_cost(const struct fsd_diff *d, FILE *out);

#endif
