"""The text of a PDF that Chromium printed, in the order in which it is drawn."""

import re
import unicodedata
import zlib

OBJECT = re.compile(rb"(\d+) 0 obj\s*(<<.*?>>)\s*(?:stream\r?\n(.*?)endstream)?\s*endobj", re.S)
DRAWN = re.compile(r"/F(\d+) \S+ Tf|<([0-9A-Fa-f]+)> Tj")
CHARACTERS = re.compile(r"<(\w+)> (?:<(\w+)> )?<(\w+)>")


def squeezed(text):
    """A text without white space, which PDFs have none of between lines, and ligatures."""
    return "".join(unicodedata.normalize("NFKC", text).split())


def text_of_pdf(printed):
    """What is printed on all pages, squeezed."""
    objects, streams = {}, {}
    for number, head, stream in OBJECT.findall(printed):
        objects[int(number)] = head
        if b"/FlateDecode" in head:
            streams[int(number)] = zlib.decompressobj().decompress(stream).decode("latin-1")
    fonts = {}
    for number, head in objects.items():
        if named := re.search(rb"/ToUnicode (\d+)", head):
            fonts[number] = _characters(streams[int(named[1])])
    text = []
    for stream in streams.values():
        font = {}
        for chosen, glyphs in DRAWN.findall(stream) if " Tf\n" in stream else ():
            if chosen:
                font = fonts.get(int(chosen), {})
            codes = [int(glyphs[at : at + 4], 16) for at in range(0, len(glyphs), 4)]
            text += [font.get(code, "") for code in codes]
    return squeezed("".join(text))


def _characters(table):
    """{glyph: character} of a font's table to Unicode."""
    characters = {}
    for first, last, unicode in CHARACTERS.findall(table[table.find("endcodespacerange") :]):
        for code in range(int(first, 16), int(last or first, 16) + 1):
            characters[code] = chr(int(unicode, 16) + code - int(first, 16))
    return characters
