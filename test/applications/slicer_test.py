#!/usr/bin/env python3
"""The module descriptions of both programs (--xml), by the rules of Slicer's ModuleDescriptionParser.

usage: slicer_test.py --register FILE --resample FILE --work DIR

The rules are those that ModuleDescriptionParser.cxx enforces, and those of vtkSlicerCLIModuleLogic.cxx, which builds the
command line: options with their long names, then positional arguments in the order of their indices; empty values are
omitted. The schema ModuleDescription.xsd of Slicer is not valid XML Schema and cannot be used. The programs are run
with the command lines that Slicer would build. The exit status is 1 if a test fails.
"""

import argparse
import array
import json
import pathlib
import re
import subprocess
import sys
import unittest
import xml.etree.ElementTree

IMAGE_TYPES = {"any", "scalar", "label", "tensor", "diffusion-weighted", "vector", "signal", "multichannel", "dynamic-contrast-enhanced"}
HEADER = ["category", "title", "description", "version", "documentation-url", "license", "contributor"]
#: Of parameters: attributes, besides those of their own "multiple" and "hidden"; children.
ELEMENTS = {"boolean": set(), "string": {"multiple"}, "file": {"multiple", "fileExtensions"}, "transform": {"multiple", "fileExtensions"},
            "image": {"multiple", "fileExtensions", "type"}}  # fmt: skip
CHILDREN = ["name", "flag", "longflag", "index", "description", "label", "default", "channel"]  # in the order of CTK's schema
#: What Slicer writes to, by program; everything else is read.
OUTPUTS = {
    "CudaSplineRegister": {"output", "parameters", "warped", "picture", "field", "inverse", "jacobian", "dump_spec", "report"},
    "CudaSplineResample": {"output", "compose", "report", "difference"},
}
SETTINGS = argparse.Namespace()


def run(program, *arguments):
    """The standard output of a program that has to succeed."""
    done = subprocess.run([program, *map(str, arguments)], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise AssertionError(f"{' '.join(map(str, arguments))}: exit status {done.returncode}: {done.stderr}")
    return done.stdout


def parameters_of(description):
    """All parameters of a description: name -> element."""
    return {parameter.findtext("name"): parameter for group in description.iter("parameters") for parameter in group if parameter.tag in ELEMENTS}


def command_line(description, **values):
    """The arguments that Slicer passes for these values."""
    options, indexed = [], {}
    for name, parameter in parameters_of(description).items():
        value = values.pop(name, "")
        if parameter.find("index") is not None:
            indexed[int(parameter.findtext("index"))] = value
        elif parameter.tag == "boolean":
            options += [parameter.findtext("longflag")] if value else []
        elif value:
            options += [parameter.findtext("longflag"), str(value)]
    assert not values, f"unknown parameters {sorted(values)}"
    assert all(indexed.values()), "Slicer does not run a module without its positional arguments"
    return options + [indexed[index] for index in sorted(indexed)]


def write_image(path, shift):
    """A blob of 24^2 pixels as a MetaImage."""
    values = [1000.0 / (1 + (x - 11 - shift) ** 2 + 2 * (y - 11) ** 2) for y in range(24) for x in range(24)]
    header = "ObjectType = Image\nNDims = 2\nDimSize = 24 24\nElementType = MET_FLOAT\nElementDataFile = LOCAL\n"
    path.write_bytes(header.encode() + array.array("f", values).tobytes())


class Descriptions(unittest.TestCase):
    """Each test is about both programs."""

    @classmethod
    def setUpClass(cls):
        cls.texts = {pathlib.Path(program).name: run(program, "--xml") for program in (SETTINGS.register, SETTINGS.resample)}
        cls.descriptions = {name: xml.etree.ElementTree.fromstring(text.encode()) for name, text in cls.texts.items()}

    def each(self):
        for name, description in self.descriptions.items():
            with self.subTest(name):
                yield name, description

    def test_header(self):
        for name, description in self.each():
            self.assertTrue(self.texts[name].startswith("<?xml "))  # the parser refuses anything before it
            self.assertEqual(description.tag, "executable")
            groups = len(description.findall("parameters"))
            self.assertEqual([child.tag for child in description], HEADER + ["parameters"] * groups)
            self.assertEqual(description.findtext("title"), name)
            self.assertIn(description.findtext("version"), run(getattr(SETTINGS, name[len("CudaSpline") :].lower()), "--version").split())

    def test_groups(self):
        for _, description in self.each():
            for group in description.findall("parameters"):
                self.assertIn(group.attrib, ({}, {"advanced": "true"}))
                self.assertEqual([child.tag for child in group][:2], ["label", "description"])
                self.assertGreater(len(group), 2)
                self.assertLessEqual({child.tag for child in group[2:]}, set(ELEMENTS))
                self.assertTrue(group.findtext("label"))

    def test_parameters(self):
        for _, description in self.each():
            for name, parameter in parameters_of(description).items():
                children = [child.tag for child in parameter]
                self.assertEqual(children, sorted(set(children), key=CHILDREN.index), name)
                self.assertLessEqual(set(parameter.attrib), ELEMENTS[parameter.tag], name)
                self.assertIn(parameter.get("multiple", "true"), ("true", "false"))
                self.assertIn(parameter.get("type", "any"), IMAGE_TYPES)
                self.assertRegex(name, r"^[A-Za-z_]\w*$")
                self.assertNotEqual(parameter.find("index") is None, parameter.find("longflag") is None, name)
                self.assertRegex(parameter.findtext("longflag", "--index"), r"^--[A-Za-z_]\w*$")
                self.assertRegex(parameter.findtext("flag", "-f"), r"^-[A-Za-z]$")
                self.assertTrue(parameter.findtext("label") and parameter.findtext("description"), name)
                self.assertEqual(parameter.findtext("channel") is None, parameter.tag in ("boolean", "string"), name)
                self.assertEqual(parameter.findtext("default"), "false" if parameter.tag == "boolean" else None)

    def test_names_are_unique(self):
        for _, description in self.each():
            for tag in ("name", "flag", "longflag", "index"):
                texts = [element.text for element in description.iter(tag)]
                self.assertEqual(len(texts), len(set(texts)), tag)
            indices = sorted(int(element.text) for element in description.iter("index"))
            self.assertEqual(indices, [0, 1])  # the images; Slicer requires all positional arguments

    def test_every_option_of_the_help(self):
        for name, description in self.each():
            text = run(getattr(SETTINGS, name[len("CudaSpline") :].lower()), "--help")
            options = set(re.findall(r"^  (?:-\w,)?--([\w-]+)", text, re.MULTILINE)) - {"help", "version", "xml"}
            self.assertGreater(len(options), 30)
            self.assertEqual({element.text for element in description.iter("longflag")}, {"--" + option.replace("-", "_") for option in options})

    def test_outputs(self):
        for name, description in self.each():
            parameters = parameters_of(description)
            self.assertEqual({key for key, value in parameters.items() if value.findtext("channel") == "output"}, OUTPUTS[name])
            for key, parameter in parameters.items():  # a new output that is not marked is noticed by its description
                if parameter.tag not in ("boolean", "string") and parameter.findtext("description").startswith("Write "):
                    self.assertEqual(parameter.findtext("channel"), "output", key)

    def test_widgets(self):
        register = parameters_of(self.descriptions["CudaSplineRegister"])
        resample = parameters_of(self.descriptions["CudaSplineResample"])
        expected = {"image": ["fixed", "moving", "warped", "field", "fixed_mask", "reference"], "transform": ["output", "initial_transform"],
                    "file": ["report", "spec", "fixed_landmarks"], "boolean": ["evaluate"], "string": ["stage", "bins"]}  # fmt: skip
        for tag, names in expected.items():
            self.assertEqual({name: register[name].tag for name in names}, dict.fromkeys(names, tag))
        self.assertEqual((resample["input"].tag, resample["transform"].tag, resample["difference"].tag), ("image", "transform", "image"))
        self.assertEqual((register["fixed_mask"].get("type"), register["fixed"].get("type")), ("label", "any"))
        self.assertEqual((register["stage"].get("multiple"), register["device"].get("multiple")), ("true", None))
        self.assertNotIn("more", resample)

    def test_command_lines_of_slicer(self):
        folder = pathlib.Path(SETTINGS.work)
        folder.mkdir(parents=True, exist_ok=True)
        fixed, moving, transform, warped, report = (folder / name for name in ("fixed.mha", "moving.mha", "found.h5", "warped.mha", "report.json"))
        write_image(fixed, 0)
        write_image(moving, 2)
        description = self.descriptions["CudaSplineRegister"]
        run(SETTINGS.register, *command_line(description, fixed=fixed, moving=moving, output=transform, report=report, stage="translation", levels="1",
                                             minimum_step="0.001", step="0.5", step_in_voxels="true", evaluate=True, quiet=True))  # fmt: skip
        stage = json.loads(report.read_text(encoding="utf-8"))["stages"][0]
        self.assertEqual(stage["kind"], "translation")
        description = self.descriptions["CudaSplineResample"]
        arguments = command_line(description, input=moving, output=warped, reference=fixed, transform=transform, output_type="float", default_value="-1")
        self.assertIn("--output_type", arguments)
        run(SETTINGS.resample, *arguments)
        values = array.array("f", warped.read_bytes().split(b"LOCAL\n", 1)[1])
        self.assertEqual(max(range(len(values)), key=values.__getitem__), 11 + 24 * 11)  # the blob is where it is in the fixed image
        self.assertEqual(min(values), -1.0)  # columns that the moving image does not have


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for option in ("register", "resample", "work"):
        parser.add_argument(f"--{option}", required=True)
    parser.parse_args(namespace=SETTINGS)
    unittest.main(argv=sys.argv[:1])
