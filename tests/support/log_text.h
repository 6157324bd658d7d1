/* Logs written as text, and the facts that their reader finds. */
#ifndef TESTS_LOG_TEXT_H
#define TESTS_LOG_TEXT_H

#include "base/base.h"
#include "model/graph/graph.h"
#include "model/graph/history.h"

struct log {
    struct fsd_arena *arena; /**< the caller frees it, which frees all other members */
    struct fsd_intern *names;
    struct fsd_file file;
    struct fsd_history *h;
};

/** @param text must outlive the log */
struct log read_log(const char *text);

/** The network as the parser printed it into the log. */
struct fsd_graph *log_network(struct log *l);

#endif
