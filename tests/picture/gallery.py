#!/usr/bin/python3
"""The pictures of docs/gallery, made anew:  gallery.py BINARY [--update]

SVG must have the same texts and as many boxes and wires; where they stand is Graphviz's.  The screenshot carries a hash
of the page's texts, which must be those of now.  It must have the same size, and its blocks of pixels the same colors on
average, and nearly all of them about the same, since fonts differ between machines.  Skipped (77), after the rest was
compared, where there is no chromium.
"""
import hashlib
import os
import re
import shutil
import subprocess
import sys
import tempfile
import zlib

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
GALLERY, FIXTURES = os.path.join(ROOT, "docs", "gallery"), os.path.join(ROOT, "fixtures")
BUILD = "qat_block/model.onnx qat_block/engine.graph.json --profile qat_block/profile.json"
SPLIT = "qat_block/model.onnx,qat_block/engine.graph.json qat_block/model.onnx,compare/split.json"
MOST_BYTES, SIZE, BLOCK = 150_000, (1100, 640), 20
# The mean of all blocks' differences, what makes a block another one, and the share of those.
MOST_DIFFERENCE, OTHER, MOST_OTHERS = 3, 24, .04
MARK = b"fusiondiff texts\0"
# A title, the command, the name of its picture, and what it shows.
SHOWN = (
    ("One build", BUILD, "build.svg", "Nodes on the left and layers on the right, in the color of their fusion.  `+` marks inserted layers."),
    ("The page", BUILD, "page.png", "The same build as one HTML file: what to do first, both sides row by row, filters, and the details of a layer."),
    ("Two builds", f"compare {SPLIT}", "compare.svg", "What changed between two builds: a fusion that the second one lost."),
    ("Two exports", "compare exports/old.onnx exports/new.onnx", "exports.svg", "Two models without engines: what another export changed."),
    ("The comment of a check", "check gate/same.fsd qat_block/model.onnx compare/split.json", "comment.md",
     "The report that the merge gate writes into a pull request."),
)


def made(binary, args, path):
    command = [os.path.abspath(binary), *args.split(), "-q", "-o", path]
    done = subprocess.run(command, cwd=FIXTURES, capture_output=True, text=True, check=False)
    assert done.returncode < 2 and os.path.exists(path), f"{args}: {done.stderr}"


def chromium(page, folder, *options):
    return subprocess.run(["chromium", "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", f"--user-data-dir={folder}/profile",
                           f"--window-size={SIZE[0]},{SIZE[1]}", *options, f"file://{page}"], capture_output=True, check=True, timeout=600).stdout


def texts_of(dom):
    """The texts of a page, without its scripts and data."""
    dom = re.sub(r"<(script|style|template)\b.*?</\1>", "", dom, flags=re.S)
    return " ".join(re.sub(r"<[^>]*>", " ", dom).split())


def screenshot(page, path, folder):
    """A PNG, with a chunk that has a hash of the page's texts."""
    chromium(page, folder, f"--screenshot={path}")
    texts = texts_of(chromium(page, folder, "--dump-dom").decode())
    chunk = b"tEXt" + MARK + hashlib.sha256(texts.encode()).hexdigest().encode()
    with open(path, "rb") as file:
        data = file.read()
    with open(path, "wb") as file:
        file.write(data[:-12] + (len(chunk) - 4).to_bytes(4, "big") + chunk + zlib.crc32(chunk).to_bytes(4, "big") + data[-12:])


def hash_of(path):
    with open(path, "rb") as file:
        return file.read().partition(MARK)[2][:64]


def blocks(path):
    """Width, height, and the mean of each block of pixels, of an image with 8 bits in 3 or 4 channels."""
    with open(path, "rb") as file:
        data = file.read()
    width, height, depth, kind = int.from_bytes(data[16:20], "big"), int.from_bytes(data[20:24], "big"), data[24], data[25]
    assert depth == 8 and kind in (2, 6), path
    at, packed, channels = 8, b"", 3 if kind == 2 else 4
    while at < len(data):
        size = int.from_bytes(data[at:at + 4], "big")
        packed += data[at + 8:at + 8 + size] if data[at + 4:at + 8] == b"IDAT" else b""
        at += size + 12
    raw, stride, above, sums = zlib.decompress(packed), width * channels, bytes(width * channels), {}
    for y in range(height):
        how, line = raw[y * (stride + 1)], bytearray(raw[y * (stride + 1) + 1:(y + 1) * (stride + 1)])
        for x in range(stride):
            left, up = line[x - channels] if x >= channels else 0, above[x]
            corner = above[x - channels] if x >= channels else 0
            guess = left + up - corner
            paeth = min((left, up, corner), key=lambda value, guess=guess: abs(guess - value))
            line[x] = (line[x] + (0, left, up, (left + up) // 2, paeth)[how]) & 255
            if x % channels < 3:
                key = (y // BLOCK, x // channels // BLOCK)
                sums[key] = sums.get(key, 0) + line[x]
        above = bytes(line)
    return width, height, [total / (3 * BLOCK * BLOCK) for total in sums.values()]


def same_picture(old, new):
    if new.endswith(".png"):
        (*old_size, old_blocks), (*new_size, new_blocks) = blocks(old), blocks(new)
        apart = [abs(a - b) for a, b in zip(old_blocks, new_blocks)]
        mean, others = sum(apart) / len(apart), sum(a > OTHER for a in apart) / len(apart)
        if hash_of(old) != hash_of(new):
            print(f"{os.path.basename(old)}: the page has other texts now")
        print(f"{os.path.basename(old)}: blocks differ by {mean:.2f} of 255, at most {MOST_DIFFERENCE}; {100 * others:.1f} % are others, at most {100 * MOST_OTHERS:.0f} %")
        return old_size == new_size and mean <= MOST_DIFFERENCE and others <= MOST_OTHERS and hash_of(old) == hash_of(new)
    with open(old, encoding="utf-8") as one, open(new, encoding="utf-8") as other:
        texts = one.read(), other.read()
    if new.endswith(".md"):
        return texts[0] == texts[1]
    kept = [(sorted(re.findall(r"<text[^>]*>([^<]*)", text)), text.count("<path"), text.count("<polygon")) for text in texts]
    return kept[0] == kept[1]


def page():
    """The page of the gallery."""
    yield "# Gallery\n\n`tests/picture/gallery.py` makes each picture, and a test compares them.  The commands run in `fixtures/`.\n"
    for title, args, name, what in SHOWN:
        yield f"## {title}\n\n{what}\n\n```\nfusiondiff {args} -o {'page.html' if name.endswith('png') else name}\n```\n"
        yield f"[comment.md]({name}), as GitHub shows it.\n" if name.endswith(".md") else f"![{title.lower()}]({name})\n"


def main():
    update, right, browser = "--update" in sys.argv, True, shutil.which("chromium")
    with tempfile.TemporaryDirectory() as folder:
        for _, args, name, _ in SHOWN:
            new, old = os.path.join(folder, name), os.path.join(GALLERY, name)
            if name.endswith(".png"):
                if not browser:
                    continue
                made(sys.argv[1], args, f"{folder}/page.html")
                screenshot(f"{folder}/page.html", new, folder)
            else:
                made(sys.argv[1], args, new)
            if update:
                shutil.copy(new, old)
            good = os.path.exists(old) and same_picture(old, new) and os.path.getsize(old) < MOST_BYTES
            print(f"{'ok     ' if good else 'differs'} docs/gallery/{name}, {os.path.getsize(old) if os.path.exists(old) else 0} bytes")
            right &= good
        text, path = "\n".join(page()), os.path.join(GALLERY, "README.md")
        if update:
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
        with open(path, encoding="utf-8") as file:
            right &= file.read() == text
    if right and not browser:
        print("no chromium: the page was not opened")
    sys.exit(1 if not right else 0 if browser else 77)


if __name__ == "__main__":
    main()
