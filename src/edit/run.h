/*
 * The headers of the explaining library that the library of edits uses, besides the
 * public header and base/. The folders of edit/ include no other headers, except that
 * edit/onnx, which writes the files that model/onnx reads, also includes its headers.
 */
#pragma once

#include "base/base.h"

#include <fusiondiff/edit.h>

/* The model and the engine: nodes by their names, operators, 16-bit numbers, and edits
 * that are collected before a file is written. */
#include "match/pick.h"
#include "model/graph/half.h"
#include "model/graph/word.h"
#include "model/onnx/edits.h"
#include "model/ops/ids.h"
#include "model/ops/ops.h"

/* A run: links, facts, outcomes, sizes and costs, values; the state of a build, and
 * comparisons of two states; lint's proposals. */
#include "change/compare/compare.h"
#include "explain/cost/cost.h"
#include "explain/cost/scope.h"
#include "explain/diff/diff.h"
#include "explain/values/values.h"
#include "judge/findings/findings.h"
#include "judge/gate/gate.h"
#include "judge/lint/lint.h"
#include "judge/lint/splits.h"

/* Opening runs, and refusing arguments. */
#include "api/command.h"
#include "api/linting.h"
#include "api/states.h"

/* Reading and writing JSON, phrases of a builder's reader, quoted names, views and
 * pictures. */
#include "report/phrase/quote.h"
#include "read/engine/reader.h"
#include "read/engine/record.h"
#include "report/json/json.h"
#include "report/picture/picture.h"
#include "report/subject/subject.h"
#include "report/view/view.h"
