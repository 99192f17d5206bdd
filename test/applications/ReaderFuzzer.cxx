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
#include "BatchList.h"
#include "io/transforms/ElastixFile.h"
#include "console/Error.h"
#include "io/transforms/TransformFile.h"
#include "io/transforms/TransformText.h"

#include "itkCudaSpline/files/ImageFileHeader.h"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <random>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

/** \file
 * \brief Runs the module's own readers (transforms as text, of MATLAB and of elastix, lists, headers of NRRD and
 * MetaImage) on arbitrary bytes: with libFuzzer if CUDASPLINE_FUZZER is on, which needs clang, otherwise with a loop of
 * random damage.
 *
 * usage without libFuzzer: CudaSplineReaderFuzzer [runs [seed]] */

const char * const CudaSplineProgram::programName = "CudaSplineReaderFuzzer";

namespace
{

/** Reads bytes. The reader succeeds or throws an error of the program; another exception ends the run. */
template <typename TRead>
void
Try(const std::string & bytes, const TRead & read)
{
  std::istringstream stream(bytes);
  try
  {
    read(stream);
  }
  catch (const CudaSplineProgram::ProgramError &)
  {}
}

/** Does the same for the header of an image, with as many files as its size needs. */
template <typename TRead>
void
TryHeader(const std::string & bytes, const TRead & read)
{
  try
  {
    CheckNumberOfFiles(read(bytes));
  }
  catch (const std::invalid_argument &)
  {}
}

/** Checks numbers that were read. Valid grids have as many parameters as they specify. */
void
CheckAll(const std::vector<CudaSplineProgram::TransformNumbers> & transforms)
{
  for (const auto & numbers : transforms)
  {
    CudaSplineProgram::CheckTransform(numbers);
  }
}

} // namespace

extern "C" int
LLVMFuzzerTestOneInput(const std::uint8_t * data, std::size_t size)
{
  const std::string bytes(reinterpret_cast<const char *>(data), size);
  Try(bytes, [](std::istream & stream) { CheckAll(CudaSplineProgram::ReadTransformText(stream)); });
  Try(bytes, [](std::istream & stream) { CheckAll(CudaSplineProgram::ReadTransformMatlab(stream)); });
  Try(bytes, [](std::istream & stream) { CudaSplineProgram::ReadElastixText(stream); });
  Try(bytes, [](std::istream & stream) { CudaSplineResample::ReadBatchList(stream, "list.csv"); });
  TryHeader(bytes, itk::CudaSpline::ParseNrrdHeader);
  TryHeader(bytes, itk::CudaSpline::ParseMetaImageHeader);
  return 0;
}

#if !defined(CUDASPLINE_FUZZER)
namespace
{

std::string
MatlabFile()
{
  std::string file;
  const auto  add = [&file](const std::string & name, std::uint32_t count) {
    const std::uint32_t header[] = { 0, count, 1, 0, static_cast<std::uint32_t>(name.size() + 1) };
    file.append(reinterpret_cast<const char *>(header), sizeof(header));
    file += name + '\0';
    const std::vector<double> values(count, 1.0);
    file.append(reinterpret_cast<const char *>(values.data()), count * sizeof(double));
  };
  add("AffineTransform_double_3_3", 12);
  add("fixed", 3);
  return file;
}

} // namespace

int
main(int argc, char ** argv)
{
  const unsigned long long runs = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 20000;
  const unsigned long long seed = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 1;
  const std::string        samples[] = {
           "#Insight Transform File V1.0\n#Transform 0\nTransform: AffineTransform_double_3_3\nParameters: 1 0 0 0 1 0 0 0 1 "
                  "0 0 "
                  "0\nFixedParameters: 0 0 0\n",
           "#Insight Transform File V1.0\nTransform: BSplineTransform_double_2_2\nParameters: 0\nFixedParameters: 4 4 0 0 1 1 "
                  "1 "
                  "0 0 1\nTransform: DisplacementFieldTransform_double_3_3\nFixedParameters: 1 1 1 0 0 0 1 1 1 1 0 0 0 1 0 0 0 1\n",
           MatlabFile(),
           "NRRD0004\ntype: short\ndimension: 4\nspace: RAS\nsizes: 3 4 5 6\nkinds: vector domain domain domain\nspace "
                  "directions: "
                  "none (1,0,0) (0,1,0) (0,0,1)\nspace origin: (1,2,3)\nspace units: \"um\" \"mm\" \"cm\"\nmeasurement frame: "
                  "(1,0,0) "
                  "(0,1,0) (0,0,1)\nendian: big\nencoding: gzip\nline skip: 1\nbyte skip: 2\ndata file: a%03d.raw 1 6 1\n\n",
           "NRRD0005\ntype: float\ndimension: 3\nsizes: 3 4 5\nspacings: 1 2 nan\naxis mins: 0 1 nan\ncenterings: cell node "
                  "cell\n"
                  "units: \"mm\" \"\" \"um\"\nencoding: text\ndata file: LIST 2\na\nb\nc\nd\ne\n",
           "NDims = 3\nDimSize = 3 4 5\nElementType = MET_SHORT\nElementNumberOfChannels = 2\nTransformMatrix = 0 1 0 -1 0 0 "
                  "0 0 1\n"
                  "Offset = 1 2 3\nElementSpacing = 1 2 3\nHeaderSize = -1\nElementDataFile = s%02d.raw 1 5 1\n",
           "\xEF\xBB\xBFinput,transform,output\r\n\"a, b.nii\",\"c.tfm,inverse\",\"d\"\"e.nii\"\n# comment\n\nf,,g\n",
           "a.nii,b.nii\n[c,1],identity\n",
           "(Transform \"AffineTransform\") // elastix\n\n(TransformParameters 1 0 0 1 -2.5 3e-1)\n// Image\n(Size 4 5)\n"
  };
  std::mt19937_64 random(seed);
  const auto      draw = [&random](std::size_t end) { return static_cast<std::size_t>(random() % end); };
  for (unsigned long long run = 0; run < runs; ++run)
  {
    std::string bytes = samples[draw(std::size(samples))];
    for (std::size_t change = 1 + draw(6); change > 0 && !bytes.empty(); --change)
    {
      const std::size_t at = draw(bytes.size());
      switch (draw(5))
      {
        case 0:
          bytes[at] = static_cast<char>(random());
          break;
        case 1:
          bytes[at] = static_cast<char>(bytes[at] ^ (1 << draw(8)));
          break;
        case 2:
          bytes.erase(at, 1 + draw(20));
          break;
        case 3:
          bytes.insert(at, bytes.substr(draw(bytes.size()), 1 + draw(40)));
          break;
        default:
          bytes.insert(at, std::vector<std::string>{ "-4", "1e300", "nan", "1000000", "\"", ",", "\n", ":" }[draw(8)]);
      }
    }
    LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t *>(bytes.data()), bytes.size());
  }
  std::cout << runs << " runs, seed " << seed << std::endl;
  return EXIT_SUCCESS;
}
#endif
