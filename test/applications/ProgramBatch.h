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
#ifndef ProgramBatch_h
#define ProgramBatch_h

#include "TestImages.h"

#include "itkTransformFileWriter.h"
#include "itkTranslationTransform.h"

#include <nlohmann/json.hpp>

#include <string>
#include <vector>

/** \file
 * \brief Inputs, a list, a transform and the report of a batch. */

using BatchImage = itk::Image<short, 3>;

class ProgramBatch : public ProgramTest
{
protected:
  /** Writes in0.nrrd, in1.nrrd, ..., with different pixels. */
  void
  WriteInputs(int count)
  {
    for (int i = 0; i < count; ++i)
    {
      const auto image = MakePhantom<BatchImage>({ { 20, 18, 16 } });
      for (std::size_t at = 0; at < image->GetBufferedRegion().GetNumberOfPixels(); ++at)
      {
        image->GetBufferPointer()[at] = static_cast<short>(image->GetBufferPointer()[at] + 10 * i);
      }
      WriteTestImage(image.GetPointer(), this->Input(i));
    }
  }

  std::string
  Input(int number) const
  {
    return Path("in" + std::to_string(number) + ".nrrd");
  }
  std::string
  Output(int number) const
  {
    return Path("out" + std::to_string(number) + ".nrrd");
  }

  /** Writes a list of the first inputs and outputs, with a header. */
  std::string
  WriteList(int count)
  {
    std::ofstream list(Path("list.csv"));
    list << "input,output\n";
    for (int i = 0; i < count; ++i)
    {
      list << Input(i) << ',' << Output(i) << '\n';
    }
    return Path("list.csv");
  }

  std::string
  WriteTranslation(double millimetres)
  {
    const auto transform = itk::TranslationTransform<double, 3>::New();
    auto       parameters = transform->GetParameters();
    parameters.Fill(millimetres);
    transform->SetParameters(parameters);
    const auto writer = itk::TransformFileWriterTemplate<double>::New();
    writer->SetInput(transform);
    writer->SetFileName(Path("move.tfm"));
    writer->Update();
    return Path("move.tfm");
  }

  nlohmann::json
  ReadReport() const
  {
    return nlohmann::json::parse(Content(Path("report.json")));
  }
};

#endif
