/*=========================================================================
 *
 *  Copyright the CudaSpline contributors
 *
 *  Licensed under the Apache License, Version 2.0 (the "License");
 *  you may not use this file except in compliance with the License.
 *  You may obtain a copy of the License at
 *
 *         https://www.apache.org/licenses/LICENSE-2.0.txt
 *
 *  Unless required by applicable law or agreed to in writing, software
 *  distributed under the License is distributed on an "AS IS" BASIS,
 *  WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
 *  See the License for the specific language governing permissions and
 *  limitations under the License.
 *
 *=========================================================================*/
#include "console/Error.h"
#include "RandomData.h"
#include "TestImages.h"
#include "io/transforms/TransformFile.h"
#include "io/transforms/TransformInput.h"
#include "io/transforms/TransformText.h"

#include <nlohmann/json.hpp>

#include "itkAffineTransform.h"
#include "itkBSplineDeformableTransform.h"
#include "itkBSplineTransform.h"
#include "itkCompositeTransform.h"
#include "itkMatrixOffsetTransformBase.h"
#include "itkTransformFactory.h"
#include "itkTransformFileReader.h"
#include "itkTransformFileWriter.h"
#include "itkTranslationTransform.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

/** \file
 * \brief Files with every class of transform of ITK, with random parameters, map points like ITK's own class.
 *
 * The files are written by itk::TransformFileWriter, whose text reproduces every bit. Both evaluate the same formulas
 * in double precision; 1e-9 of the largest coordinate is far above their rounding, and far below the effect of an
 * ignored parameter. If the environment has CUDASPLINE_WRITE_ANSWERS=FILE, the test also writes
 * test/python/transform_answers.json, with which the Python package is tested. */

namespace TransformClassesTesting // separate namespaces: several tests are compiled together
{
namespace
{

using namespace CudaSplineProgram;
using CudaSplineTest::Random;

template <unsigned int VDimension>
using Map = itk::Transform<double, VDimension, VDimension>;
template <unsigned int VDimension>
using Point = itk::Point<double, VDimension>;

bool
Contains(const std::string & text, const char * part)
{
  return text.find(part) != std::string::npos;
}

/** Random numbers that are valid for a class. */
struct RandomNumbers
{
  std::vector<double> fixed;
  std::vector<double> parameters;

  RandomNumbers(const std::string & type,
                std::size_t         dimension,
                std::size_t         count,
                std::size_t         fixedCount,
                Random &            random)
  {
    const auto number = [&random](double low, double high) {
      return static_cast<double>(static_cast<float>(random.Uniform(low, high)));
    };
    if (Contains(type, "Field") || Contains(type, "BSpline"))
    {
      count = dimension;
      for (std::size_t d = 0; d < dimension; ++d)
      {
        fixed.push_back(static_cast<double>(random.Integer(4, 7)));
        count *= static_cast<std::size_t>(fixed.back());
      }
      const auto append = [&](double low, double high) {
        for (std::size_t d = 0; d < dimension; ++d)
        {
          fixed.push_back(number(low, high));
        }
      };
      append(-20.0, -10.0); // origin
      append(4.0, 6.0);     // spacing
      const double angle = number(-3.0, 3.0);
      for (std::size_t row = 0; row < dimension; ++row)
      {
        for (std::size_t column = 0; column < dimension; ++column)
        {
          const bool isTurned = row < 2 && column < 2;
          fixed.push_back(isTurned ? (row == column ? std::cos(angle) : (row == 0 ? -std::sin(angle) : std::sin(angle)))
                                   : (row == column ? 1.0 : 0.0));
        }
      }
      for (std::size_t i = 0; i < count; ++i)
      {
        parameters.push_back(number(-2.0, 2.0));
      }
      RoundToFloat(fixed);
      return;
    }
    for (std::size_t i = 0; i < fixedCount; ++i)
    {
      fixed.push_back(i < dimension ? number(-30.0, 30.0) : static_cast<double>(random.Integer(0, 1)));
    }
    const bool hasMatrix = Contains(type, "Affine") || Contains(type, "MatrixOffset");
    for (std::size_t i = 0; i < count; ++i)
    {
      const bool isDiagonal = hasMatrix && i < dimension * dimension && i % (dimension + 1) == 0;
      parameters.push_back(number(-0.5, 0.5) + (isDiagonal ? 1.0 : 0.0));
    }
    if (Contains(type, "Scale") || Contains(type, "Similarity")) // a scale of 0 has no inverse
    {
      for (double & parameter : parameters)
      {
        parameter = number(0.3, 0.5);
      }
    }
    if (Contains(type, "_3_3") && type.compare(0, 16, "Rigid3DTransform") == 0)
    {
      const double angle = number(-3.0, 3.0);
      const double matrix[] = { std::cos(angle),  0.0, std::sin(angle), 0.0, 1.0, 0.0,
                                -std::sin(angle), 0.0, std::cos(angle) };
      std::copy(std::begin(matrix), std::end(matrix), parameters.begin());
    }
    if (type.compare(0, 16, "Rigid3DTransform") != 0 && parameters.size() > count - std::min(count, dimension))
    {
      // Most classes end with a translation, which may be long.
      if (!Contains(type, "Versor") && !Contains(type, "Scale") && !Contains(type, "Similarity3D"))
      {
        for (std::size_t i = count - dimension; i < count; ++i)
        {
          parameters[i] *= 40.0;
        }
      }
      RoundToFloat(parameters); // except for Rigid3DTransform, which accepts rotations to 1e-10
    }
  }

  /** Single-precision files represent these numbers, too. */
  static void
  RoundToFloat(std::vector<double> & numbers)
  {
    std::transform(numbers.begin(), numbers.end(), numbers.begin(), [](double number) {
      return static_cast<double>(static_cast<float>(number));
    });
  }
};

template <typename TArray>
TArray
AsArray(const std::vector<double> & numbers)
{
  TArray array(static_cast<unsigned int>(numbers.size()));
  std::copy(numbers.begin(), numbers.end(), array.begin());
  return array;
}

/** ITK 5.2's VersorTransform resets the centre when its rotation is set; ITK 5.4, and so SimpleITK 2.5, does not. */
template <typename TBase>
void
ReplaceCentre(const std::string & type, TBase * transform)
{
  if (type.compare(0, 15, "VersorTransform") == 0)
  {
    transform->SetFixedParameters(typename TBase::FixedParametersType(transform->GetFixedParameters()));
  }
}

/** Returns an object of a type with numbers. */
template <typename TReal>
typename itk::TransformBaseTemplate<TReal>::Pointer
Make(const std::string & type, const std::vector<double> & fixed, const std::vector<double> & parameters)
{
  using Base = itk::TransformBaseTemplate<TReal>;
  const itk::LightObject::Pointer object = itk::ObjectFactoryBase::CreateInstance(type.c_str());
  const typename Base::Pointer    transform = dynamic_cast<Base *>(object.GetPointer());
  if (transform.IsNotNull())
  {
    if (transform->GetReferenceCount() > 2)
    {
      transform->UnRegister();
    }
    if (!fixed.empty())
    {
      transform->SetFixedParameters(AsArray<typename Base::FixedParametersType>(fixed));
    }
    transform->SetParametersByValue(AsArray<typename Base::ParametersType>(parameters));
    ReplaceCentre(type, transform.GetPointer());
  }
  return transform;
}

template <typename TReal>
void
Write(const std::vector<const itk::Object *> & transforms, const std::string & path)
{
  const auto writer = itk::TransformFileWriterTemplate<TReal>::New();
  for (const itk::Object * const transform : transforms)
  {
    writer->AddTransform(transform);
  }
  writer->SetFileName(path);
  writer->Update();
}

/** Returns the transform of a file, as both programs read it. */
template <unsigned int VDimension>
typename Map<VDimension>::Pointer
Read(const std::string & path)
{
  Grid grid;
  grid.dimension = VDimension;
  return MakeTransform<VDimension>({ { path, false } }, {}, grid);
}

class TransformClasses : public ProgramTest
{
protected:
  /** Expects that two transforms map points identically, and stores the results as answers for Python.
   *
   * \param[in] textFile text file of the answers; empty: they are not stored
   * \param[in] grid fixed parameters of a grid; the points are inside and around it; empty: they are around the origin
   * \param[in] margin samples between the points and the edge of the grid */
  template <unsigned int VDimension>
  void
  ExpectSame(const Map<VDimension> *     found,
             const Map<VDimension> *     expected,
             const std::string &         name,
             const std::string &         textFile,
             const std::vector<double> & grid = {},
             double                      margin = 0.0)
  {
    ASSERT_NE(found, nullptr);
    ASSERT_NE(expected, nullptr);
    Random         random(__LINE__ + std::hash<std::string>()(name));
    nlohmann::json answer{ { "name", name }, { "dimension", VDimension } };
    for (unsigned int count = 0; count < 20; ++count)
    {
      Point<VDimension> point;
      for (unsigned int d = 0; d < VDimension; ++d)
      {
        point[d] = grid.empty() ? random.Uniform(-60.0, 60.0) : grid[VDimension + d];
      }
      for (unsigned int column = 0; column < VDimension && !grid.empty(); ++column)
      {
        const double index = random.Uniform(margin, grid[column] - 1.0 - margin);
        for (unsigned int row = 0; row < VDimension; ++row)
        {
          point[row] += grid[(3 + row) * VDimension + column] * grid[2 * VDimension + column] * index;
        }
      }
      const Point<VDimension> wanted = expected->TransformPoint(point);
      const Point<VDimension> mapped = found->TransformPoint(point);
      double                  scale = 1.0;
      for (unsigned int d = 0; d < VDimension; ++d)
      {
        scale = std::max({ scale, std::abs(wanted[d]), std::abs(point[d]) });
      }
      EXPECT_LE((mapped - wanted).GetNorm(), 1e-9 * scale)
        << name << ": " << point << " to " << mapped << ", not " << wanted;
      if (count < 8)
      {
        answer["points"].push_back(std::vector<double>(point.Begin(), point.End()));
        answer["mapped"].push_back(std::vector<double>(wanted.Begin(), wanted.End()));
      }
    }
    if (!textFile.empty())
    {
      answer["text"] = Content(textFile);
      Answers().push_back(answer);
    }
  }

  static nlohmann::json &
  Answers()
  {
    static nlohmann::json answers = nlohmann::json::array();
    return answers;
  }

  static void
  TearDownTestSuite()
  {
    if (const char * const file = std::getenv("CUDASPLINE_WRITE_ANSWERS"))
    {
      std::ofstream stream(file);
      for (std::size_t number = 0; number < Answers().size(); ++number)
      {
        stream << (number == 0 ? "[\n" : ",\n") << Answers()[number].dump();
      }
      stream << "\n]\n";
    }
  }

  /** Tests one class in files of all formats and both precisions. */
  template <unsigned int VDimension>
  void
  CheckClass(const std::string & name)
  {
    SCOPED_TRACE(name);
    Random            random(__LINE__ + std::hash<std::string>()(name));
    const std::string type =
      name + "_double_" + std::to_string(VDimension) + "_" + std::to_string(VDimension) + m_Suffix;
    const std::string single =
      name + "_float_" + std::to_string(VDimension) + "_" + std::to_string(VDimension) + m_Suffix;
    const itk::LightObject::Pointer object = itk::ObjectFactoryBase::CreateInstance(type.c_str());
    const auto * const              empty = dynamic_cast<itk::TransformBaseTemplate<double> *>(object.GetPointer());
    ASSERT_NE(empty, nullptr);
    RandomNumbers numbers(type, VDimension, empty->GetParameters().Size(), empty->GetFixedParameters().Size(), random);
    if (name == "CenteredAffineTransform" || name == "CenteredEuler3DTransform")
    {
      std::copy_n(numbers.parameters.end() - 2 * VDimension, VDimension, numbers.fixed.begin());
    }
    const auto                transform = Make<double>(type, numbers.fixed, numbers.parameters);
    const auto *              expected = dynamic_cast<const Map<VDimension> *>(transform.GetPointer());
    const bool                isGrid = Contains(name, "Field") || Contains(name, "BSpline");
    const std::vector<double> grid = isGrid ? numbers.fixed : std::vector<double>();
    // At the edge of its grid, an old spline of order 2 reads coefficients that do not exist.
    const double margin = name == "BSplineDeformableTransform" && VDimension == 2 ? 1.0 : -0.3;
    for (const char * const ending : { ".tfm", ".txt", ".h5", ".hdf5", ".mat" })
    {
      SCOPED_TRACE(ending);
      const std::string path = Path(name + std::to_string(VDimension) + m_Suffix + ending);
      Write<double>({ transform.GetPointer() }, path);
      ExpectSame<VDimension>(
        Read<VDimension>(path), expected, type, std::string(ending) == ".tfm" ? path : std::string(), grid, margin);
      const auto singleTransform = name == "Rigid3DTransform" ? itk::TransformBaseTemplate<float>::Pointer()
                                                              : Make<float>(single, numbers.fixed, numbers.parameters);
      if (singleTransform.IsNotNull())
      {
        Write<float>({ singleTransform.GetPointer() }, path);
        // The text of a float, read as double, is a different number. The expectation is the number that ITK reads.
        const auto reader = itk::TransformFileReaderTemplate<double>::New();
        reader->SetFileName(path);
        reader->Update();
        ASSERT_EQ(reader->GetTransformList()->size(), 1u);
        const auto read = reader->GetTransformList()->front();
        ReplaceCentre(type, read.GetPointer());
        const auto * const ofFloat = dynamic_cast<const Map<VDimension> *>(read.GetPointer());
        ExpectSame<VDimension>(Read<VDimension>(path), ofFloat, single, std::string(), grid, margin);
      }
    }
  }

  std::string m_Suffix; ///< order of a B-spline
};

/** The classes of ITK's factory, except composites and classes that do not map points. */
TEST_F(TransformClasses, AllOfTheFactory)
{
  itk::TransformFactoryBase::RegisterDefaultTransforms();
  std::size_t count = 0;
  for (const std::string & type : itk::TransformFactoryBase::GetFactory()->GetClassOverrideWithNames())
  {
    const bool isFlat = Contains(type, "_double_2_2");
    if ((!isFlat && !Contains(type, "_double_3_3")) || Contains(type, "Composite") || Contains(type, "Velocity") ||
        Contains(type, "Exponential") || Contains(type, "Azimuth") || Contains(type, "_3_3_") ||
        Contains(type, "_2_2_"))
    {
      continue;
    }
    const std::string name = type.substr(0, type.find('_'));
    isFlat ? CheckClass<2>(name) : CheckClass<3>(name);
    ++count;
  }
  EXPECT_GE(count, 36u);
}

/** B-splines of all orders, and the base class of linear transforms, which the factory does not have. */
TEST_F(TransformClasses, OthersThanTheFactory)
{
  itk::TransformFactory<itk::MatrixOffsetTransformBase<double, 2, 2>>::RegisterTransform();
  itk::TransformFactory<itk::MatrixOffsetTransformBase<double, 3, 3>>::RegisterTransform();
  itk::TransformFactory<itk::BSplineTransform<double, 2, 1>>::RegisterTransform();
  itk::TransformFactory<itk::BSplineTransform<double, 2, 2>>::RegisterTransform();
  itk::TransformFactory<itk::BSplineTransform<double, 3, 1>>::RegisterTransform();
  itk::TransformFactory<itk::BSplineTransform<double, 3, 2>>::RegisterTransform();
  CheckClass<2>("MatrixOffsetTransformBase");
  CheckClass<3>("MatrixOffsetTransformBase");
  for (const char * const suffix : { "_1", "_2" })
  {
    m_Suffix = suffix;
    CheckClass<2>("BSplineTransform");
    CheckClass<3>("BSplineTransform");
  }
}

/** A composite, whose last transform is applied first. */
TEST_F(TransformClasses, Composite)
{
  const auto composite = itk::CompositeTransform<double, 3>::New();
  const auto affine = itk::AffineTransform<double, 3>::New();
  affine->Rotate3D(Vector3(1.0, 2.0, 3.0), 0.7);
  affine->SetCenter(Point<3>(Vector3(4.0, 5.0, 6.0).GetDataPointer()));
  const auto translation = itk::TranslationTransform<double, 3>::New();
  translation->Translate(Vector3(1.0, -20.0, 3.0));
  composite->AddTransform(affine);
  composite->AddTransform(translation);
  for (const char * const name : { "composite.tfm", "composite.h5" })
  {
    Write<double>({ composite.GetPointer() }, Path(name));
    ExpectSame<3>(
      Read<3>(Path(name)), composite, name, std::string(name) == "composite.tfm" ? Path(name) : std::string());
  }
}

/** ITK's old B-spline adds its displacement to that of a bulk transform, which is the other one in the file. */
TEST_F(TransformClasses, OldSplineWithBulk)
{
  using Spline = itk::BSplineDeformableTransform<double, 3, 3>;
  Random              random(__LINE__);
  const RandomNumbers ofSpline("BSplineDeformableTransform_double_3_3", 3, 0, 0, random);
  const RandomNumbers ofBulk("AffineTransform_double_3_3", 3, 12, 3, random);
  const auto          spline = Spline::New();
  const auto          bulk = itk::AffineTransform<double, 3>::New();
  spline->SetFixedParameters(AsArray<Spline::FixedParametersType>(ofSpline.fixed));
  spline->SetParametersByValue(AsArray<Spline::ParametersType>(ofSpline.parameters));
  bulk->SetFixedParameters(AsArray<Spline::FixedParametersType>(ofBulk.fixed));
  bulk->SetParametersByValue(AsArray<Spline::ParametersType>(ofBulk.parameters));
  Write<double>({ spline.GetPointer(), bulk.GetPointer() }, Path("bulk-last.tfm"));
  Write<double>({ bulk.GetPointer(), spline.GetPointer() }, Path("bulk-first.h5"));
  spline->SetBulkTransform(bulk);
  ExpectSame<3>(
    Read<3>(Path("bulk-last.tfm")), spline, "old spline with bulk", Path("bulk-last.tfm"), ofSpline.fixed, -0.3);
  ExpectSame<3>(Read<3>(Path("bulk-first.h5")), spline, "old spline with bulk", "", ofSpline.fixed, -0.3);
  EXPECT_TRUE(TakeWarnings().empty());
}

/** Text is recognised by its beginning, for any file name. */
TEST_F(TransformClasses, TextOfAnyName)
{
  for (const char * const name : { "transform", "transform.xform", "transform.TFM" })
  {
    std::ofstream(Path(name)) << "#Insight Transform File V1.0\nTransform: TranslationTransform_double_3_3\n"
                                 "Parameters: 1 2 3\nFixedParameters:\n";
    const TransformList list = ReadTransformFile(Path(name));
    ASSERT_EQ(list.transforms.size(), 1U);
    EXPECT_EQ(list.transforms[0].parameters, (std::vector<double>{ 1, 2, 3 }));
  }
}

/** Numbers that are invalid for a class, and classes that do not map points, are refused with a reason. */
TEST_F(TransformClasses, Refused)
{
  const auto expectError = [](const std::string & text, const std::vector<std::string> & words) {
    SCOPED_TRACE(text);
    std::istringstream stream("#Insight Transform File V1.0\n" + text);
    const std::string  error = ErrorOf([&] {
      for (const TransformNumbers & numbers : ReadTransformText(stream))
      {
        MakeItkTransform(numbers);
      }
    });
    for (const std::string & word : words)
    {
      EXPECT_NE(error.find(word), std::string::npos) << "\"" << word << "\" is missing in: " << error;
    }
  };
  const std::string affine = "Transform: AffineTransform_double_3_3\nParameters: 1 0 0 0 1 0 0 0 1 0 0 0\n";
  expectError(affine + "FixedParameters: 1 2\n",
              { "AffineTransform", "2 fixed parameters", "0 (the centre is the origin) or 3 (the centre)" });
  expectError(affine + "FixedParameters: 1 2 3 4\n",
              { "4 fixed parameters", "0 (the centre is the origin) or 3 (the centre)" });
  expectError("Transform: AffineTransform\nParameters: 1 0 0 0 1 0 0 0 1 0 0 0\nFixedParameters: 1 2 3\n",
              { "(AffineTransform)", "does not have a dimension" });
  expectError("Transform: Euler3DTransform_double_3_3\nParameters: 0 0 0 1 2 3\nFixedParameters: 1 2 3 1 5\n",
              { "5 fixed parameters", "3 (the centre) or 4" });
  expectError("Transform: CenteredAffineTransform_double_2_2\nParameters: 1 0 0 1 5 6 7 8\nFixedParameters: 5 7\n",
              { "another centre", "7", "6" });
  expectError("Transform: VersorTransform_double_3_3\nParameters: 1 1 0\nFixedParameters: 0 0 0\n",
              { "VersorTransform", "1" });
  expectError("Transform: AzimuthElevationToCartesianTransform_double_3_3\nParameters: 1 0 0 0 1 0 0 0 1 0 0 0\n",
              { "AzimuthElevation", "not a map" });
  expectError("Transform: Rigid3DPerspectiveTransform_double_3_2\nParameters: 0 0 0 0 0 0\n",
              { "Perspective", "not a map" });
  for (const char * const name : { "TimeVaryingVelocityFieldTransform", "GaussianExponentialDiffeomorphicTransform" })
  {
    expectError(std::string("Transform: ") + name + "_double_2_2\nParameters: 0 0\n",
                { name, "velocity field", "integrate" });
  }
  expectError("Transform: NoTransform_double_3_3\nParameters: 1\n", { "NoTransform_double_3_3", "not known" });
  const std::string grid = "FixedParameters: 1 1 0 0 1 1 1 0 0 1";
  expectError("Transform: DisplacementFieldTransform_double_2_2\nParameters: 1 2\n" + grid + " 5\n",
              { "10 fixed", "11" });
  expectError("Transform: DisplacementFieldTransform_double_2_2\nParameters: 1 2 3\n" + grid + "\n",
              { "2 parameters", "3" });
}

} // namespace
} // namespace TransformClassesTesting
