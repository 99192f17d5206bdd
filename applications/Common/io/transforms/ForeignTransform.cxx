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
#include "io/transforms/ForeignTransform.h"

#include "console/Error.h"
#include "console/Numbers.h"

#include "itk_zlib.h"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <memory>
#include <sstream>
#include <vector>

namespace CudaSplineProgram
{
namespace
{

bool
EndsWith(const std::string & text, const std::string & ending)
{
  return text.size() >= ending.size() && text.compare(text.size() - ending.size(), ending.size(), ending) == 0;
}

[[noreturn]] void
Refuse(const std::string & file, const std::string & what, const std::string & converter)
{
  throw ProgramError("the transform \"" + file + "\" is " + what + ", which is not supported; convert it to an ITK " +
                     converter);
}

[[noreturn]] void
RefuseAfni(const std::string & file, bool isMatrix)
{
  const std::string load = isMatrix ? "transform, for example with nitransforms: nitransforms.linear.load(FILE, "
                                      "fmt=\"afni\").to_filename(\"out.tfm\", fmt=\"itk\")"
                                    : "displacement field, for example with nitransforms: "
                                      "nitransforms.nonlinear.load(FILE, fmt=\"afni\"), written with fmt=\"itk\"";
  Refuse(file, isMatrix ? "a matrix of AFNI" : "a warp or an image of AFNI", load);
}

/** Returns the beginning of a file, decompressed if it is a gzip file. Empty if it cannot be read. */
std::string
BeginningOf(const std::string & file, std::size_t bytes)
{
  const std::unique_ptr<gzFile_s, int (*)(gzFile)> stream(gzopen(file.c_str(), "rb"), &gzclose);
  std::string                                      beginning(bytes, '\0');
  const int count = stream ? gzread(stream.get(), beginning.data(), static_cast<unsigned int>(bytes)) : 0;
  beginning.resize(static_cast<std::size_t>(std::max(count, 0)));
  return beginning;
}

/** Returns the numbers of the lines of a text, without comments. Empty if there is other text. */
std::vector<std::vector<double>>
TableOf(const std::string & text)
{
  std::vector<std::vector<double>> rows;
  std::istringstream               stream(text);
  for (std::string line; std::getline(stream, line);)
  {
    std::istringstream  words(line);
    std::vector<double> row;
    for (std::string word; words >> word && word[0] != '#';)
    {
      const auto number = ParseNumber(word);
      if (!number)
      {
        return {};
      }
      row.push_back(*number);
    }
    if (!row.empty())
    {
      rows.push_back(row);
    }
  }
  return rows;
}

} // namespace

void
RefuseForeignTransform(const std::string & file)
{
  std::string name = file;
  std::transform(name.begin(), name.end(), name.begin(), [](unsigned char c) { return std::tolower(c); });
  std::error_code error;
  if (!std::filesystem::is_regular_file(file, error))
  {
    return;
  }
  if (EndsWith(name, ".head") || EndsWith(name, ".brik") || EndsWith(name, ".brik.gz"))
  {
    RefuseAfni(file, false);
  }
  if (EndsWith(name, ".1d"))
  {
    RefuseAfni(file, true);
  }
  if (EndsWith(name, ".xfm"))
  {
    Refuse(file,
           "a transform of MINC, of points with x to the right and y to the front",
           "transform (a matrix M becomes F M F with F = diag(-1, -1, 1, 1))");
  }
  if (EndsWith(name, ".lta") || EndsWith(name, ".m3z"))
  {
    Refuse(
      file,
      "a transform of FreeSurfer",
      "transform with FreeSurfer: lta_convert --inlta FILE --outitk OUT.txt, mri_warp_convert --inm3z FILE --outitk "
      "OUT.nii.gz");
  }
  const std::string text = BeginningOf(file, 65536);
  if (text.find('\0') != std::string::npos)
  {
    return;
  }
  const auto rows = TableOf(text);
  const auto areAll = [&rows](std::size_t columns) {
    return std::all_of(rows.begin(), rows.end(), [columns](const auto & row) { return row.size() == columns; });
  };
  if (rows.size() == 4 && areAll(4))
  {
    Refuse(file,
           "a matrix of 4 x 4 numbers, as FSL's FLIRT writes them, whose coordinates depend on both images",
           "transform, for example with c3d_affine_tool -ref REFERENCE -src INPUT FILE -fsl2ras -oitk OUT.txt");
  }
  if ((!rows.empty() && areAll(12)) || (rows.size() == 3 && areAll(4)))
  {
    RefuseAfni(file, true);
  }
}

} // namespace CudaSplineProgram
