#!/usr/bin/env python3
"""The layer rule: includes point down only.

Reads every #include of the tree and fails when one points to where its layer may not look. The table is that of
doc/Architecture.md:

  math       C++ standard library; math
  device     standard library, CUDA runtime API; device
  kernels    standard library, CUDA runtime API, CUB, Thrust; math, device, kernels; never ITK
  pipeline   registrations of several stages and the documents that describe them: standard library, headers of the system, JSON; math, device,
             kernels, pipeline; no CUDA call
  files      formats of files as bytes in memory: standard library; math, files; no ITK, no CUDA call, no access to files
  c          the interface in C (include/itkCudaSpline/c, src/c): standard library, JSON; c and the public headers of the layers below;
             no CUDA header, no CUDA call
  jax        foreign functions of XLA (src/jax): standard library, XLA's headers of them; the public headers of c; no CUDA call
  loader     the libraries in the folders of ITK_AUTOLOAD_PATH (src/loader): the C library; nothing of the repository, no ITK
  ITK        (include/itkCuda*, its helpers in include/itkCudaSpline/itk, src/*.cxx, src/instances): standard library, ITK; the public headers
             of the layers below; no CUDA header, no CUDA call
  programs   the ITK layer, ITK, libraries of programs; benchmarks also the kernels and what is below them
             benchmark/kernels: standard library, CUDA runtime API, the layers below ITK and their private headers, as it times
             the kernels themselves; the other benchmarks see its headers
  tests      everything

and no .cu or .cuh, of any layer, reaches an ITK header, directly or through another header. Folders inside a layer, its
private and its public one of a name taken together, include each other in one direction: there is no circle of them. The
same holds for the folders of applications.

usage: check_layers.py [--root DIR]
Prints one line for each violation, "file:line: what is wrong". The exit status is 1 where there is one.
"""

import argparse
import os
import re
import sys

SOURCE = re.compile(r"\.(h|hxx|hpp|cxx|cpp|cc|c|cu|cuh|wrap)(\.in)?$")
CUDA_SOURCE = re.compile(r"\.cuh?(\.in)?$")

# What an include can be. A layer is "math", "device", "kernels", "files", "c", "jax", "loader", "itk", "programs", "benchmark",
# "kernel benchmark" or "tests".
STANDARD = set(
    """algorithm any array atomic barrier bit bitset cassert ccomplex cctype cerrno cfenv cfloat charconv chrono cinttypes
    ciso646 climits clocale cmath codecvt compare complex concepts condition_variable coroutine csetjmp csignal cstdalign
    cstdarg cstdbool cstddef cstdint cstdio cstdlib cstring ctgmath ctime cuchar cwchar cwctype deque exception execution
    filesystem forward_list fstream functional future initializer_list iomanip ios iosfwd iostream istream iterator latch
    limits list locale map memory memory_resource mutex new numbers numeric optional ostream queue random ranges ratio regex
    scoped_allocator semaphore set shared_mutex source_location span sstream stack stdexcept stop_token streambuf string
    string_view strstream syncstream system_error thread tuple type_traits typeindex typeinfo unordered_map unordered_set
    utility valarray variant vector version cxxabi.h
    assert.h complex.h ctype.h errno.h fenv.h float.h inttypes.h limits.h locale.h math.h setjmp.h signal.h stdalign.h
    stdarg.h stdbool.h stddef.h stdint.h stdio.h stdlib.h string.h tgmath.h time.h uchar.h wchar.h wctype.h""".split()
)
OUTSIDE = [
    ("system", re.compile(r"(unistd|cpuid|fcntl|poll|pthread|sched|dlfcn|elf|execinfo|link|dirent|termios|io|process|windows)\.h$|(sys|gnu)/[a-z-]+\.h$")),
    ("CUDA runtime", re.compile(r"(cuda|cuda_\w+|(driver|vector|texture|surface|device)_\w+|math_constants)\.h$")),
    ("CUDA library", re.compile(r"(cub|thrust|cuda|cooperative_groups)/|cooperative_groups\.h$")),
    # Everything that ITK brings: its own headers and those of the libraries in it.
    ("ITK", re.compile(r"itk(?!Cuda)\w*\.(h|hxx|txx)$|(vnl|vcl|vxl|itksys|itkeigen|itk_\w+)[/_]|(gdcm|meta|nifti)\w*(/|\.h)")),
    # CudaSplineExport.h and its like: made by the build, in ITK's own tree among ITK's headers.
    ("ITK layer", re.compile(r"(itkCuda\w*\.(h|hxx)|itkCudaSpline/itk/\w+\.h|CudaSpline((Metric)?Factories)?Export\.h)$")),
    ("XLA", re.compile(r"xla/ffi/api/")),
    ("GoogleTest", re.compile(r"(gtest|gmock)/")),
    ("JSON", re.compile(r"nlohmann/")),
    ("library of programs", re.compile(r"(CLI|benchmark|isa-l)/")),
]

LAYERS = ["math", "device", "kernels", "pipeline", "files", "c", "jax"]
ALLOWED = {
    "math": {"standard", "math"},
    "device": {"standard", "system", "CUDA runtime", "device"},
    "kernels": {"standard", "CUDA runtime", "CUDA library", "math", "device", "kernels"},
    "files": {"standard", "math", "files"},
    "pipeline": {"standard", "system", "JSON", "math", "device", "kernels", "pipeline"},
    "c": {"standard", "JSON", "math", "device", "kernels", "pipeline", "files", "c"},
    "jax": {"standard", "XLA", "c", "jax"},
    "loader": {"standard", "system", "loader"},
    "itk": {"standard", "ITK", "itk", "math", "device", "kernels"},
    "programs": {"standard", "system", "ITK", "JSON", "library of programs", "itk", "files", "pipeline", "programs"},
    "benchmark": {
        "standard", "system", "ITK", "JSON", "library of programs", "itk", "math", "device", "kernels", "kernel benchmark", "benchmark",
    },
    "kernel benchmark": {"standard", "CUDA runtime", "math", "device", "kernels", "kernel benchmark"},
}
# Layers that may include the public headers of a layer below (include/), but not its private ones (src/).
PUBLIC_ONLY = {"c", "jax", "itk", "programs", "benchmark"}
# Layers that make no CUDA call and launch nothing.
NO_CUDA_CALL = {"math", "files", "pipeline", "c", "jax", "loader", "itk", "programs", "benchmark"}

INCLUDE = re.compile(r"^[ \t]*(?:#|%:)[ \t]*(?:include|import|include_next)\b[ \t]*(.*)$")
WRAP_INCLUDE = re.compile(r"^[ \t]*itk_wrap_include\([ \t]*\"?([^\")]+)\"?[ \t]*\)")
CUDA_CALL = re.compile(r"\b(cuda[A-Z]\w*|cu(?:Ctx|Device|Event|Func|Init|Launch|Mem|Module|Stream)\w*)[ \t]*\(|(<<<)|(__global__)\b")


def layer_of(path):
    """The layer of a file of the repository, by its path; None where no rule holds."""
    parts = path.split("/")
    if parts[0] in ("include", "src"):
        rest = parts[2:] if parts[:2] == ["include", "itkCudaSpline"] else parts[1:]
        if parts[:3] == ["include", "itkCudaSpline", "itk"]:
            return "itk"
        if len(rest) > 1:
            if parts[:2] == ["src", "instances"]:
                return "itk"
            return rest[0] if rest[0] in LAYERS or parts[:2] == ["src", "loader"] else "unknown"
        return "unknown" if parts[:2] == ["include", "itkCudaSpline"] else "itk"
    if parts[0] in ("applications", "examples", "wrapping"):
        return "programs"
    if parts[:2] == ["benchmark", "kernels"]:
        return "kernel benchmark"
    return {"benchmark": "benchmark", "reproduction": "benchmark", "test": "tests"}.get(parts[0])


def room_of(path):
    """The folder of a file inside the layers below ITK, the same for public and private files, or inside applications; None elsewhere."""
    parts = path.split("/")
    if parts[0] == "applications":
        return "/".join(parts[:-1])
    rest = parts[2:-1] if parts[:2] == ["include", "itkCudaSpline"] else parts[1:-1] if parts[0] == "src" else []
    return "/".join(rest) if rest and rest[0] in LAYERS else None


def without_comments(text):
    """The text with comments blanked, line by line; strings are kept, raw strings are blanked."""
    comment = r"//(?:[^\\\n]|\\.|\\\n)*|/\*.*?\*/"
    string = r'R"(?P<d>[^()\\\s]{0,16})\(.*?\)(?P=d)"|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\''
    token = re.compile(comment + "|" + string, re.S)

    def blank(match):
        found = match.group(0)
        return found if found[0] in "\"'" else " " + "\n" * found.count("\n")

    return token.sub(blank, text)


def without_strings(line):
    return re.sub(r'"(?:\\.|[^"\\])*"', '""', line)


def statements(text):
    """(line number, line) with lines that end in a backslash joined."""
    number, joined, first = 0, "", None
    for line in text.split("\n"):
        number += 1
        first = first or number
        if line.endswith("\\"):
            joined += line[:-1]
            continue
        yield first, joined + line
        joined, first = "", None


class Tree:
    def __init__(self, root):
        self.root = root
        self.includes = {}  # file -> [(line, name, kind, target file or None, private)]
        self.violations = []
        self.files = []
        for top in ("include", "src", "applications", "examples", "benchmark", "reproduction", "wrapping", "test"):
            for folder, folders, names in os.walk(os.path.join(root, top)):
                # Fixtures break the rules on purpose; builds inside of the tree are not part of it.
                folders[:] = sorted(f for f in folders if not f.startswith((".", "build")) and f != "__pycache__")
                for name in sorted(names):
                    if SOURCE.search(name):
                        self.files.append(os.path.relpath(os.path.join(folder, name), root).replace(os.sep, "/"))

    def complain(self, path, line, message):
        self.violations.append((path, line, message))

    def resolve(self, path, name):
        """The file of the repository that an include names, or None."""
        folder = path.rsplit("/", 1)[0] if "/" in path else "."
        program = "/".join(path.split("/")[:2])  # applications/CudaSplineRegister, for example
        for base in (folder, "include", "src", program, "applications/Common", "test/support", "test/itk/support", "test"):
            candidate = os.path.normpath(os.path.join(base, name)).replace(os.sep, "/")
            if not candidate.startswith("..") and os.path.isfile(os.path.join(self.root, candidate)):
                return candidate
        return None

    def classify(self, path, name):
        """(kind, target file, private) of an include: a layer's name, or what it is outside of the repository."""
        target = self.resolve(path, name)
        if target:
            return layer_of(target) or "unknown", target, target.startswith("src/")
        if name in STANDARD:
            return "standard", None, False
        match = re.match(r"itkCudaSpline/(\w+)/", name)
        if match and match.group(1) in LAYERS:
            return match.group(1), None, False
        match = re.match(r"(?:\.\./|src/)*(\w+)/", name)
        if match and match.group(1) in LAYERS:
            return match.group(1), None, True
        for kind, pattern in OUTSIDE:
            if pattern.match(name):
                return ("itk" if kind == "ITK layer" else kind), None, False
        return "unknown", None, False

    def read(self):
        for path in self.files:
            with open(os.path.join(self.root, path), encoding="utf-8") as stream:
                text = stream.read()
            self.includes[path] = []
            layer = layer_of(path)
            if path.endswith(".wrap"):
                for number, line in enumerate(text.split("\n"), 1):
                    match = WRAP_INCLUDE.match(line)
                    if match:
                        self.add(path, number, match.group(1))
                continue
            for number, line in statements(without_comments(text)):
                match = INCLUDE.match(line)
                if not match:
                    call = CUDA_CALL.search(without_strings(line)) if layer in NO_CUDA_CALL else None
                    if call:
                        what = "CUDA call " + call.group(1) if call.group(1) else "kernel" if call.group(3) else "kernel launch"
                        self.complain(path, number, f"the {layer} layer makes no CUDA call: {what}")
                    continue
                name = re.match(r'[<"]([^>"]+)[>"]', match.group(1))
                if name:
                    self.add(path, number, name.group(1))
                else:
                    self.complain(path, number, f"an include that cannot be read: {line.strip()}")

    def add(self, path, number, name):
        kind, target, private = self.classify(path, name)
        self.includes[path].append((number, name, kind, target, private))

    def check(self):
        for path in self.files:
            layer = layer_of(path)
            if layer == "unknown":
                self.complain(path, 1, "a folder that belongs to no layer")
                continue
            for number, name, kind, _, private in self.includes[path]:
                if layer == "tests":
                    continue
                if kind == "unknown":
                    self.complain(path, number, f'the {layer} layer may not include a header that check_layers.py does not know: "{name}"')
                elif kind not in ALLOWED[layer]:
                    self.complain(path, number, f'the {layer} layer may not include {kind}: "{name}"')
                elif private and layer in PUBLIC_ONLY and kind in LAYERS and kind != layer:
                    self.complain(path, number, f'the {layer} layer may not include private headers of the {kind} layer: "{name}"')
        for path in self.files:
            if CUDA_SOURCE.search(path):
                self.check_device_code(path)
        self.check_rooms()

    def check_device_code(self, path):
        """No ITK header, directly or through others: nvcc cannot compile them."""
        seen = {path}
        queue = [(path, None, [])]
        while queue:
            current, first, chain = queue.pop(0)
            for number, name, kind, target, _ in self.includes.get(current, []):
                line = first or number
                if kind in ("ITK", "itk"):
                    through = " through " + " -> ".join(chain) if chain else ""
                    self.complain(path, line, f'a CUDA source may not reach ITK: "{name}"{through}')
                elif target and target not in seen:
                    seen.add(target)
                    queue.append((target, line, chain + [target]))

    def check_rooms(self):
        """No circular dependency of folders inside a layer."""
        edges = {}  # room -> {room that it includes: the includes}
        for path in self.files:
            room = room_of(path)
            for number, name, _, target, _ in self.includes[path] if room else []:
                other = room_of(target) if target else None
                if other and other != room and other.split("/")[0] == room.split("/")[0]:
                    edges.setdefault(room, {}).setdefault(other, []).append((path, number, name))
        for room, others in edges.items():
            for other, includes in others.items():
                way = self.way(edges, other, room)
                for path, number, name in includes if way else []:
                    self.complain(path, number, f'a circle of folders, {" -> ".join([room] + way)}: "{name}"')

    @staticmethod
    def way(edges, first, last):
        """The shortest way from a folder to another, both named; None where there is none."""
        ways = {first: [first]}
        queue = [first]
        while queue and last not in ways:
            room = queue.pop(0)
            for other in sorted(edges.get(room, {})):
                if other not in ways:
                    ways[other] = ways[room] + [other]
                    queue.append(other)
        return ways.get(last)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--root", default=".", help="root of the repository")
    root = parser.parse_args().root
    tree = Tree(root)
    tree.read()
    tree.check()
    for path, line, message in sorted(set(tree.violations)):
        print(f"{path}:{line}: {message}")
    count = sum(len(found) for found in tree.includes.values())
    print(f"checked {count} includes of {len(tree.files)} files: {len(set(tree.violations))} violations")
    return 1 if tree.violations or not tree.files else 0


if __name__ == "__main__":
    sys.exit(main())
