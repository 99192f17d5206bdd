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
#include "itkCudaSplineFactoryBase.h"

#include "itkVersion.h"

#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <map>
#include <sstream>
#include <utility>

namespace itk
{

namespace
{

/** The classes of all factories, of which a process may have loaded some. */
const std::vector<std::string> AllClassNames{ "ResampleImageFilter",
                                              "WarpImageFilter",
                                              "BSplineDecompositionImageFilter",
                                              "SmoothingRecursiveGaussianImageFilter",
                                              "GradientRecursiveGaussianImageFilter",
                                              "ComposeDisplacementFieldsImageFilter",
                                              "InvertDisplacementFieldImageFilter",
                                              "ExponentialDisplacementFieldImageFilter",
                                              "DisplacementFieldJacobianDeterminantFilter",
                                              "MeanSquaresImageToImageMetricv4",
                                              "CorrelationImageToImageMetricv4",
                                              "MattesMutualInformationImageToImageMetricv4",
                                              "ANTSNeighborhoodCorrelationImageToImageMetricv4",
                                              "DemonsImageToImageMetricv4" };

} // namespace

/** What is overridden, and whether. Registered overrides are ITK's to keep; it finds them by the names of both classes.
 */
struct CudaSplineFactoryBase::Switches
{
  std::vector<std::string>                                                names; ///< of classes, as they were added
  std::map<std::string, bool>                                             enabled;
  std::map<std::string, std::vector<std::pair<std::string, std::string>>> overrides; ///< both classes, by name
};

CudaSplineFactoryBase::CudaSplineFactoryBase()
  : m_Switches(std::make_unique<Switches>())
{}

CudaSplineFactoryBase::~CudaSplineFactoryBase() = default;

const char *
CudaSplineFactoryBase::GetITKSourceVersion() const
{
  return ITK_SOURCE_VERSION;
}

void
CudaSplineFactoryBase::AddOverride(const std::string &        name,
                                   const std::string &        overridden,
                                   const std::string &        with,
                                   CreateObjectFunctionBase * create)
{
  this->RegisterOverride(overridden.c_str(), with.c_str(), "CudaSpline", true, create);
  m_Switches->overrides[name].emplace_back(overridden, with);
  if (m_Switches->enabled.emplace(name, true).second)
  {
    m_Switches->names.push_back(name);
  }
}

void
CudaSplineFactoryBase::ReadEnvironment()
{
  const char * const words = std::getenv("CUDASPLINE_FACTORY_CLASSES");
  if (words == nullptr || *words == '\0')
  {
    return;
  }
  for (const std::string & name : m_Switches->names)
  {
    this->SetClassEnabled(name, false);
  }
  std::istringstream list(words);
  for (std::string word; std::getline(list, word, ',');)
  {
    if (m_Switches->enabled.count(word) > 0)
    {
      this->SetClassEnabled(word, true);
    }
    else if (word != "none" && std::find(AllClassNames.begin(), AllClassNames.end(), word) == AllClassNames.end())
    {
      // A program that was never compiled for this must not end because of a word.
      std::cerr << "CudaSpline: CUDASPLINE_FACTORY_CLASSES names \"" << word
                << "\", which is no class that can be overridden.\n";
    }
  }
}

void
CudaSplineFactoryBase::SetClassEnabled(const std::string & name, bool enabled)
{
  static_cast<void>(this->GetClassEnabled(name)); // refuses other names
  m_Switches->enabled[name] = enabled;
  for (const auto & override : m_Switches->overrides[name])
  {
    this->SetEnableFlag(enabled, override.first.c_str(), override.second.c_str());
  }
  this->Modified();
}

bool
CudaSplineFactoryBase::GetClassEnabled(const std::string & name) const
{
  const auto found = m_Switches->enabled.find(name);
  if (found == m_Switches->enabled.end())
  {
    std::string names;
    for (const std::string & known : m_Switches->names)
    {
      names += (names.empty() ? "" : ", ") + known;
    }
    itkExceptionMacro(<< "The class \"" << name << "\" is not overridden; these can be: " << names << ".");
  }
  return found->second;
}

void
CudaSplineFactoryBase::PrintSelf(std::ostream & os, Indent indent) const
{
  Superclass::PrintSelf(os, indent);
  for (const auto & entry : m_Switches->enabled)
  {
    os << indent << entry.first << ": " << (entry.second ? "overridden" : "not overridden") << std::endl;
  }
}

} // namespace itk
