/*
 * The headers of the groups behind model/ (src/README.md) that the folders of edit/
 * use.  The folders include all of them through this header.  They edit models, so they
 * include headers of model/ directly.
 */
#pragma once

#include "base/base.h"

#include <fusiondiff/edit.h>

/* A run, and the comparison of two: links, facts, outcomes, sizes, costs, values. */
#include "change/compare/compare.h"
#include "explain/cost/cost.h"
#include "explain/cost/scope.h"
#include "explain/diff/diff.h"
#include "explain/values/values.h"
#include "match/pick.h"

/* What lint proposes for the model, and measured ways to split a kernel. */
#include "judge/findings/findings.h"
#include "judge/lint/splits.h"

/* Runs that a function of the public API opens, and the arguments that it refuses. */
#include "api/command.h"
#include "api/linting.h"
#include "api/states.h"

/* Words of a builder, and records in the files of other tools. */
#include "read/engine/reader.h"
#include "read/engine/record.h"

/* Reports: JSON, pictures, views, names in quotes. */
#include "report/json/json.h"
#include "report/phrase/quote.h"
#include "report/picture/picture.h"
#include "report/subject/subject.h"
#include "report/view/view.h"
