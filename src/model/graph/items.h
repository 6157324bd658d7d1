/*
 * The list of nodes that a builder writes into the Metadata of a layer, and into the
 * log lines of a region:
 *
 *     [ONNX Layer: a]<1E>[ONNX Layer: b | doc string]<1F>[ONNX Layer: c]__gemm_from_x
 *
 * The separators are control characters, which tools drop or replace by other text:
 * U+FFFD, "?", a blank, "\u001e", "^^".  An item therefore begins at each opening word
 * that closely follows the end of the previous item.
 */
#pragma once

#include "base/base.h"

#define FSD_ITEM_OPENING "[ONNX Layer: "

/** Takes the next item off the front of the list. *item becomes the text between the
 *  item's brackets, with a doc string if there is one, but without the text after the
 *  brackets.  A piece without an opening word is an item as a whole. *item may be
 *  empty.  Returns false at the end of the list. */
bool fsd_items_next(struct fsd_slice *list, struct fsd_slice *item);
