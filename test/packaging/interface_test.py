"""scripts/interface: what counts as public, and what is a difference; and deprecated names, which tests have to use. Run by ctest."""

import importlib.machinery
import importlib.util
import pathlib
import re
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
LOADER = importlib.machinery.SourceFileLoader("interface", str(ROOT / "scripts" / "interface"))
interface = importlib.util.module_from_spec(importlib.util.spec_from_loader("interface", LOADER))
LOADER.exec_module(interface)

ATTRIBUTE = re.compile(r'(\w*)\s*\[\[deprecated\("([^"]*)"\)\]\]\s*([^;{=(:,]*)')


def deprecated_names(code):
    """(name, replacement) of each declaration with the attribute in C++ code."""
    found = []
    for before, replacement, after in ATTRIBUTE.findall(code):
        words = re.findall(r"\w+", after)
        found.append((words[-1] if words else before, replacement))  # an enumerator has the attribute after its name
    return found


class Interface(unittest.TestCase):
    def test_qualified_names(self):
        for symbol, name in {
            "cudaspline_sample": ["cudaspline_sample"],
            "itk::CudaSpline::Prefilter(std::vector<int> const&)": ["itk", "CudaSpline", "Prefilter"],
            "itk::CudaSplineTrace::~CudaSplineTrace()": ["itk", "CudaSplineTrace", "~CudaSplineTrace"],
            "itk::CudaSpline::A<b::C>::D() const": ["itk", "CudaSpline", "A<b::C>", "D"],
            "vtable for itk::CudaSplineFactory": ["itk", "CudaSplineFactory"],
            "itk::CudaSplineFactory::GetClassNames[abi:cxx11]()": ["itk", "CudaSplineFactory", "GetClassNames"],
        }.items():
            self.assertEqual(interface.qualified_name(symbol), name)

    def test_what_is_public(self):
        names = ({"Prefilter", "cudaspline_sample"}, {"CudaSplineTrace", "Stream"})
        for symbol, expected in {
            "itk::CudaSpline::Prefilter(int)": True,
            "itk::CudaSpline::PrefilterRows(int)": False,
            "cudaspline_sample": True,
            "CudaSplineInternal": False,
            "itk::CudaSplineTrace::IsOn()": True,
            "vtable for itk::CudaSplineTrace": True,
            "itk::CudaSpline::Stream::~Stream()": True,
            "itk::CudaSpline::Hidden::Prefilter()": False,
            "itk::CudaSpline::Stream::Impl::Run()": False,
        }.items():
            self.assertEqual(interface.is_public(symbol, names), expected, symbol)

    def test_differences(self):
        self.assertEqual(interface.compare("l", ["a", "b"], ["a", "b"]), [])
        self.assertEqual(interface.compare("l", ["a", "b"], ["a", "c"]), ["l: no longer there: b", "l: not in the list: c"])
        self.assertEqual(interface.compare("l", ["a", "b"], ["a"], is_partial=True), [])
        self.assertEqual(interface.compare("l", ["a"], ["a", "c"], is_partial=True), ["l: not in the list: c"])

    def test_declarations_of_this_tree(self):
        functions, classes = interface.declared_names()
        self.assertIn("cudaspline_resample", functions)
        self.assertIn("CudaSplineFactory", classes)
        self.assertNotIn("Impl", classes)  # only declared
        self.assertIn("itkCudaSpline/c/CudaSplineC.h", interface.public_headers())
        self.assertIn("cudaspline.resample", interface.python_names())
        self.assertFalse([name for name in interface.python_names() if "._" in name])

    def test_every_function_in_c_is_declared(self):
        listed = (interface.LISTS / "libCudaSplineC.txt").read_text(encoding="utf-8").split()
        declared = {name for name in interface.declared_names()[0] if name.startswith("cudaspline_")}
        self.assertEqual([name for name in listed if name not in declared], [])

    def test_deprecated_names_are_compiled_and_have_a_replacement(self):
        self.assertEqual(
            deprecated_names('[[deprecated("B()")]] inline double\nA(int);  F [[deprecated("E")]] = E,\nstruct [[deprecated("Q")]] P : Q{'),
            [("A", "B()"), ("F", "E"), ("P", "Q")],
        )
        tests = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "test").rglob("*.cxx"))
        found = [entry for path in (ROOT / "include").rglob("*.h") for entry in deprecated_names(path.read_text(encoding="utf-8"))]
        self.assertEqual([name for name, replacement in found if not replacement or not re.search(rf"\b{name}\b", tests)], [])


if __name__ == "__main__":
    unittest.main()
