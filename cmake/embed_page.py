"""Writes the frame of the reports as C++: embed_page.py PAGE_FOLDER LIBRARY.js OUTPUT.cpp

page.html holds {{policy}}, {{style}}, {{library}} and {{script}}, which are filled in here, and {{title}} and {{data}}, where
the frame is cut: the program puts those in. The script is every *.js of the folder, in the order that page.html lists.
"""
import base64
import hashlib
import pathlib
import re
import sys


def digest(script):
    return "'sha256-" + base64.b64encode(hashlib.sha256(script.encode()).digest()).decode() + "'"


def literal(text):
    """A raw string, which the compiler takes as it is; "sv" because it would count the length too slowly."""
    assert ')page"' not in text
    return f'R"page({text})page"sv'


def frame(folder, library_path):
    """The page in three pieces: before the title, between title and data, after the data."""
    folder = pathlib.Path(folder)
    page = (folder / "page.html").read_text(encoding="utf-8")
    order = re.search(r"<!-- scripts: (.*?) -->\n", page, re.S)
    names = order.group(1).split()
    assert sorted(names) == sorted(path.name for path in folder.glob("*.js")), "page.html must list every script once"
    page = page.replace(order.group(0), "")
    script = "(() => {\n'use strict';\n" + "\n".join((folder / name).read_text(encoding="utf-8") for name in names) + "})();\n"
    library_path = pathlib.Path(library_path)
    licence = library_path.with_name("LICENSE").read_text(encoding="utf-8")
    library = f"/*\n{licence}*/\n" + library_path.read_text(encoding="utf-8")
    for text in (script, library):
        assert not re.search(r"</script|<!--", text, re.I), "this would end or disturb the script element"
    policy = ("default-src 'none'; style-src 'unsafe-inline'; img-src data: blob:; base-uri 'none'; form-action 'none'; "
              f"script-src {digest(library)} {digest(script)}")
    for name, text in (("policy", policy), ("style", (folder / "style.css").read_text(encoding="utf-8")),
                       ("library", library), ("script", script)):
        assert page.count("{{" + name + "}}") == 1
        page = page.replace("{{" + name + "}}", text)
    opening, rest = page.split("{{title}}")
    return opening, *rest.split("{{data}}")


def main(folder, library_path, output):
    opening, middle, ending = frame(folder, library_path)
    pathlib.Path(output).write_text(f"""// Made by cmake/embed_page.py from src/report/page and third_party/plotly.
#include "report/page.h"

namespace chaosgrad::internal {{

using namespace std::string_view_literals;

const PageFrame& page_frame() {{
  static constexpr PageFrame frame = {{
      {literal(opening)},
      {literal(middle)},
      {literal(ending)}}};
  return frame;
}}

}}  // namespace chaosgrad::internal
""", encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
