/*
 * The folders of edit/ are a library of their own. They include only three things from
 * the main library: the headers below, the public header and base/. Only edit/onnx,
 * which writes the files that model/onnx reads, also includes headers of model/onnx.
 */
#pragma once

#include "base/base.h"

#include <fusiondiff/edit.h>

/* Headers for the model and the engine: picks of nodes by name, words, 16-bit numbers,
 * and edits that are collected before a file is written. */
#include "match/pick.h"
#include "model/graph/half.h"
#include "model/graph/word.h"
#include "model/onnx/edits.h"
#include "model/ops/ids.h"
#include "model/ops/ops.h"

/* Headers for a run and for comparisons: links, facts, outcomes, sizes, costs, values,
 * states of builds, and lint's edits. */
#include "change/compare/compare.h"
#include "explain/cost/cost.h"
#include "explain/cost/scope.h"
#include "explain/diff/diff.h"
#include "explain/values/values.h"
#include "judge/findings/findings.h"
#include "judge/gate/gate.h"
#include "judge/lint/lint.h"
#include "judge/lint/splits.h"

/* Headers for opening runs and refusing arguments. */
#include "api/command.h"
#include "api/linting.h"
#include "api/states.h"

/* Headers for names in quotes, the phrases of a builder, records in profilers' files,
 * JSON, pictures and views. */
#include "report/phrase/quote.h"
#include "read/engine/reader.h"
#include "read/engine/record.h"
#include "report/json/json.h"
#include "report/picture/picture.h"
#include "report/subject/subject.h"
#include "report/view/view.h"
