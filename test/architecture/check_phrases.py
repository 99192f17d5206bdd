#!/usr/bin/env python3
"""Plain English: phrases that a newcomer has to decode, by a table of them.

Reads pages (Markdown without code), and comments and string literals of C++, CUDA and Python sources, CMake files and shell scripts. It forbids
phrases, not words. ALLOWED lists the exceptions.

usage: check_phrases.py [--root DIR] [PATH...]    PATH: files or folders (default: all)
       check_phrases.py --subject FILE            the first line of a commit's message (hook commit-msg of pre-commit)
Prints one line for each violation, "file:line: phrase: what to write". The exit status is 1 where there is one.
"""

import argparse
import bisect
import fnmatch
import io
import os
import re
import sys
import tokenize

#: Phrase (a regular expression; a space is any white space, also across lines of a comment) -> what to write.
PHRASES = {
    r"(?<!there )\b(is|are|was|were) none\b(?! of (its|their|the) (own|business))": "is missing, is invalid, or is not a ...",
    r"(?<![Tt]here )\b(is|are) no (?!longer\b|more\b|less\b|such\b|fewer\b|larger\b|smaller\b|better\b|worse\b|faster\b|slower\b|greater\b|higher\b"
    r"|different\b|earlier\b|later\b|defects?\b|ITK\b|GPU\b|CUDA\b)\w+": "is not a ..., or is missing",
    r"\b(is|are|was|were|be|been|being) told\b(?! to)": "is reported, logged, returned, distinguished",
    r"\b(tell|tells|told|telling) (apart|one|what|which|how|where|whether|that|of|by|nothing|the user|its|their|whose|failures)\b":
        "reports, logs, distinguishes",
    r"\bhears? (of|from|it|that)\b": "receives, is notified",
    r"\bwho (computes?|computed|answers?|answered|asks?|calls?|reads?|includes?|waits?|needs?)\b": "which backend, the caller, the reader",
    r"\b(stand|stands|stood|standing) (in|on|at|beside|behind|below|above|there|with|by|before|after|for itself|alone|next|here)\b":
        "is in, depends on, follows",
    r"\b(lives?|lived) (in|on|at|as long)\b": "is in, is allocated, exists",
    r"\blies? (in memory|there|together|beside|behind|next|ready|one after|on the (device|host|GPU)|in the (memory|file|folder|cache))\b": "is in, is stored",
    r"\b[Bb]eside\b": "next to, in addition to, compared with",
    r"\b[Bb]ehind (each|every|the|it|them|this|that|a|an|one|all|its|their|which|what|these|those|other|others|\w+ing)\b": "after, following",
    r"\b(to be|can be|could be|cannot be|may be|is|are|be) had\b": "is available",
    r"\bc(?:ome|omes|ame|oming) to (?!(?:a|the) (?:next|page)\b)(?!life\b|terms\b)": "converges to, gives, returns",
    r"\b(go|goes|went|going) on\b(?! (a|the) )": "continues",
    r"\b(as|so) (it|they) (is|are|was|were) (said|told|asked)\b": "as documented",
    r"\b(is|are|was|were|be|been) said\b(?! to)": "is documented, is reported, is specified",
    r"\bwithout a word\b": "silently",
    r"\b(say|says|said|saying) (who|so|which|whether|what|how|nothing|where|it|no)\b": "reports, returns, states",
    r"\bof what (is|was|are|were|has|had|it|they)\b": "the noun: of the missed targets",
    r"\b(hang|hangs|hung) (on|upon)\b": "depends on",
    r"\b(gives?|gave|given|giving) (way|back)\b": "is replaced by; returns, frees",
    r"\b[Mm]ended\b|\b[Mm]ends\b": "fixed, repaired",
    r"\bin (the|their|its) place (of|where)\b": "instead of, replaces",
    r"\blay(s|ing)? ([\w-]+ ){1,4}over\b|\blaid over\b": "aligns, registers",
    r"\b[Bb]ut for\b": "except",
    r"\b[Ss]ave for\b": "except",
    r"\b[Nn]othing but\b": "only",
    r"\bfor want of\b": "because there is no ...",
    r"\b[Oo]therwise than\b": "differently from",
    r"\b(given|sample|sampled|scattered|such|those|drawn|certain|many|few|other|wanted|same) places\b": "points, positions",
    r"\bplaces? of (a |the |an |all |its |each )?(samples?|points?|voxels?|pixels?|coefficients?|knots?)\b": "points, positions",
    r"\b[Ff]urther (pairs?|interpolators?|images?|metrics?|arguments?|files?)\b": "additional",
    r"\b(tak|pull)(e|es|en|ing|s|ed) (them |it |lists |\w+ )?apart\b|\btook apart\b": "splits, parses",
    r"\b(hand|hands|handed) (on|over)\b": "passes on",
    r"\b[Hh]ow near\b": "how close",
    r"\bhalves to (the )?even\b": "half to even",
    r"\b(a|one) (line|panel|bit|file|row|thread|block|kernel|page|byte|word|pass|call|column) an? \w+\b": "one line per ...",
    r"\bask(s|ed)? of\b": "requires of, requests from",
    r"\bof use\b": "useful",
    r"\bmost of all\b": "above all",
    r"\b(knows?|knew|known) (nothing|no) (of)?\b": "does not use, is independent of",
    r"\bas (well|much) as may be\b": "as far as possible",
    r"\bthe (known )?truth\b|\bknown truth\b": "the ground truth",
    r"\bwhere(ver)? (it|they) (goes|go|went)\b": "where it is used",
    r"\bof no use\b|\bto no avail\b": "useless",
    r"(?:(?<=[.;:] )|(?<=\A)|(?<=\n))Of (?!course\b|these\b|those\b|the\b)[a-z]\w+ ": "subject first, not \"Of ...\"",
    r"\bwhich nobody\b|\bnobody('s)?\b": "no user, no caller",
    r"\b[Pp]lease[:?]|, please\b": "what is allowed",
    r"\bwhatever (it|they|that) (is|are|may be)\b": "for any ...",
    r"\bfor (good|ever)\b": "permanently, endlessly",
    r"\ba (good )?deal (of|more|less)\b": "much",
    r"\bto the letter\b|\bin so many words\b|\bof the house\b": "exactly",
    r"\b(find|finds|found) (its|their|his) (way|place)\b": "is found",
    r"\b(makes?|made) (do|good|away) (with)?\b": "uses, replaces",
    r"\bno (sooner|otherwise)\b": "only after",
    r"\bin (good|due) time\b": "before ...",
}
#: Matches that stay: pattern of paths, phrase (None: every phrase), reason.
ALLOWED = [
    ("test/architecture/check_phrases*.py", None, "the table itself, and texts for its test"),
    ("reproduction/results/*", None, "pages as reproduction/evidence wrote them, with the results"),
    ("reproduction/PaperSlips.md", None, "written by reproduction/reproduce; quotes papers"),
    ("reproduction/reproduce.d/*", "beside", "a key of the published results"),
    ("reproduction/test/*", "beside", "a key of the published results"),
]

SUBJECT = re.compile(r"(ENH|BUG|PERF|DOC|STYLE|COMP|TEST): [A-Z`]|(Merge|Revert|fixup!|squash!) ")
MAX_SUBJECT = 72

SOURCES = re.compile(r"\.(md|py|pyi|c|h|hxx|cxx|cu|cuh|cmake)(\.in)?$|CMakeLists\.txt$|^(scripts|reproduction)/(.*/)?[^./]+$|^\.ci/run$")
IGNORED = re.compile(r"build|bundle|demo-output|shared$|\.(?!github$|ci$)")
C_TOKEN = re.compile(r'//[^\n]*|/\*.*?\*/|R"(?P<d>[^()\\\s]{0,16})\(.*?\)(?P=d)"|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', re.S)
LEADER = re.compile(r"^\s*(?:[*>#/!<]+(?=\s|$))?\s*|\s+$")


def markdown(text):
    """(line, prose) of a page: no code, no addresses of links; "" between paragraphs, items and cells."""
    fenced = False
    for number, line in enumerate(text.split("\n"), 1):
        if line.lstrip().startswith("```"):
            fenced = not fenced
        if fenced or line.startswith("    ") or line.lstrip().startswith("```"):
            yield number, ""
            continue
        line = re.sub(r"`[^`]*`", "`x`", re.sub(r"\]\([^)]*\)", "]", line)).replace("[", "").replace("]", "")
        if re.match(r"\s*([*+-]|\d+\.|#+|>)\s", line):
            yield number, ""
            line = re.sub(r"^\s*([*+-]|\d+\.|#+|>)\s", "", line)
        for cell in line.split("|") if line.lstrip().startswith("|") else [line]:
            yield number, cell
            if cell is not line:
                yield number, ""


def c_code(text):
    """(line, prose) of the comments and string literals of C++."""
    end, kind = 0, ""
    for match in C_TOKEN.finditer(text):
        found, line = match.group(0), text.count("\n", 0, match.start()) + 1
        if found[0] == "'":
            continue
        if text[end : match.start()].strip() or kind != found[:1]:
            yield line, ""
        end, kind = match.end(), found[:1]
        if found[0] == "/":
            yield from enumerate(found[2:].removesuffix("*/").split("\n"), line)
        elif match.group("d") is None:
            yield line, found[1:-1].replace("\\n", " ").replace('\\"', "'")
        else:
            yield from enumerate(found.split("\n"), line)


def python_code(text):
    """(line, prose) of the comments and strings of Python."""
    before = None
    names = {"FSTRING_MIDDLE"}  # Python 3.12
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        name = tokenize.tok_name[token.type]
        if name not in ("STRING", "COMMENT") and name not in names:
            before = before if name in ("NL", "INDENT", "DEDENT") else None
            continue
        if before != name:
            yield token.start[0], ""
        before = name
        prose = token.string.lstrip("#") if name == "COMMENT" else re.sub(r"^\w{0,2}(\"\"\"|'|\")|(\"\"\"|'|\")$", "", token.string)
        if "\n" not in prose:
            prose = prose.replace("\\n", " ")
        yield from enumerate(prose.split("\n"), token.start[0])


def with_hashes(text):
    """(line, prose) of the comments and strings of CMake files and shell scripts."""
    for number, line in enumerate(text.split("\n"), 1):
        comment = re.search(r"(?:^|(?<=\s))#+(?!\{)(.*)$", line)
        code = line[: comment.start()] if comment else line
        for string in re.findall(r'"((?:\\.|[^"\\])*)"', code):
            yield number, ""
            yield number, string
        if code.strip():
            yield number, ""
        yield number, comment.group(1) if comment else ""


def reader_of(path, text):
    """The function that finds the prose of a file."""
    if path.endswith(".md"):
        return markdown
    if path.endswith((".py", ".pyi")) or "python" in text.partition("\n")[0]:
        return python_code
    return c_code if re.search(r"\.(c|h|hxx|cxx|cu|cuh)(\.in)?$", path) else with_hashes


def prose_of(path, text):
    """The prose of a file in one string, paragraphs divided by ends of lines, and where each of its lines begins: [(offset, line)]."""
    read = reader_of(path, text)
    joined, starts, length = [], [], 0
    for line, prose in read(text):
        prose = LEADER.sub("", prose)
        prose = prose + " " if prose else "\n"
        starts.append((length, line))
        joined.append(prose)
        length += len(prose)
    return "".join(joined), starts


def phrases(path, text, table):
    """(line, phrase, advice) of a file."""
    prose, starts = prose_of(path, text)
    for pattern, advice in table:
        for match in pattern.finditer(prose):
            line = starts[bisect.bisect_right(starts, (match.start(), float("inf"))) - 1][1]
            yield line, match.group(0).strip(), advice


def files(root):
    """The paths of all sources and pages below root."""
    for folder, folders, names in os.walk(root):
        top = os.path.relpath(folder, root).replace(os.sep, "/")
        folders[:] = sorted(f for f in folders if f != "__pycache__" and not (top == "." and IGNORED.match(f)))
        paths = (name if top == "." else f"{top}/{name}" for name in sorted(names))
        yield from (path for path in paths if SOURCES.search(path))


def is_allowed(path, phrase):
    """Whether ALLOWED has a phrase of a file."""
    return any(fnmatch.fnmatch(path, pattern) and allowed in (None, phrase) for pattern, allowed, _ in ALLOWED)


def check(root, named):
    """(path, line, phrase, advice) of all files, or of those in the named files and folders."""
    table = [(re.compile(phrase), advice) for phrase, advice in PHRASES.items()]
    for path in files(root):
        if named and not any(path == name or path.startswith(name.rstrip("/") + "/") for name in named):
            continue
        with open(os.path.join(root, path), encoding="utf-8") as stream:
            found = sorted(phrases(path, stream.read(), table))
        yield from ((path, *one) for one in found if not is_allowed(path, one[1]))


def check_subject(path):
    """Complaints of the first line of a commit's message."""
    with open(path, encoding="utf-8") as stream:
        subject = stream.readline().rstrip("\n")
    if not SUBJECT.match(subject):
        yield 'a subject begins with one of ITK\'s prefixes and a verb: "BUG: Read vector NIfTI series volume by volume"'
    if len(subject) > MAX_SUBJECT and not subject.startswith("Merge"):
        yield f"a subject has at most {MAX_SUBJECT} characters, this one {len(subject)}"
    for phrase, advice in PHRASES.items():
        match = re.search(phrase, subject)
        if match:
            yield f"{match.group(0)}: {advice}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--root", default=".", help="root of the repository")
    parser.add_argument("--subject", metavar="FILE", help="check the message of a commit")
    parser.add_argument("paths", nargs="*", help="check these only")
    arguments = parser.parse_args()
    if arguments.subject:
        complaints = list(check_subject(arguments.subject))
        print("".join(f"{complaint}\n" for complaint in complaints), end="")
        return 1 if complaints else 0

    violations = list(check(arguments.root, arguments.paths))
    for path, line, phrase, advice in violations:
        print(f'{path}:{line}: "{phrase}": {advice}')
    print(f"{len(violations)} violations")
    return 1 if violations else 0


if __name__ == "__main__":
    sys.exit(main())
