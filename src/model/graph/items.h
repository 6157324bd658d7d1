/*
 * The list of nodes that a builder writes into the Metadata of a layer, and into the
 * log lines of a region:
 *
 *     [ONNX Layer: a]<1E>[ONNX Layer: b | doc string]<1F>[ONNX Layer: c]__gemm_from_x
 *
 * The separators are control characters, which some tools drop or replace by U+FFFD,
 * "?", a blank, "\u001e" or "^^".  An opening word ("[ONNX Layer: ") that closely
 * follows the end of an item therefore begins the next item.
 */
#pragma once

#include "base/base.h"

#define FSD_ITEM_OPENING "[ONNX Layer: "

/** Removes the next item from the front of the list.  `*item` becomes the text between
 *  the brackets, including a doc string.  This text may be empty.  The text after the
 *  closing bracket is dropped.  If an item does not begin with an opening word, `*item`
 *  becomes the whole item.  Returns false at the end of the list. */
bool fsd_items_next(struct fsd_slice *list, struct fsd_slice *item);
