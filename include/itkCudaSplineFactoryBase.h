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
#ifndef itkCudaSplineFactoryBase_h
#define itkCudaSplineFactoryBase_h

#include "CudaSplineExport.h"
#include "itkCudaSpline/itk/Compatibility.h"

#include "itkCreateObjectFunction.h"
#include "itkObjectFactoryBase.h"

#include <memory>
#include <string>
#include <vector>

namespace itk
{

/** \class CudaSplineFactoryBase
 * \brief Base class of the module's object factories: overrides that can be disabled class by class.
 *
 * The environment variable CUDASPLINE_FACTORY_CLASSES is a list of the classes to override, separated by commas, for
 * all of the factories ("ResampleImageFilter"; "none" for none). Existing objects do not change.
 *
 * \ingroup CudaSpline */
class CudaSpline_EXPORT CudaSplineFactoryBase : public ObjectFactoryBase
{
public:
  ITK_DISALLOW_COPY_AND_MOVE(CudaSplineFactoryBase);

  /** Types of ITK's conventions. */
  ///@{
  using Self = CudaSplineFactoryBase;
  using Superclass = ObjectFactoryBase;
  using Pointer = SmartPointer<Self>;
  using ConstPointer = SmartPointer<const Self>;
  ///@}

  /** Name of the class. */
  itkCudaSplineTypeMacro(CudaSplineFactoryBase, ObjectFactoryBase);

  /** Version of ITK that the overriding classes were compiled with. */
  const char *
  GetITKSourceVersion() const override;

  /** Switches a class of this factory on or off, for all its template arguments; on until it is called, or as
   * CUDASPLINE_FACTORY_CLASSES says.
   *
   * \param[in] name name of ITK's class, without template arguments
   * \param[in] enabled whether it is overridden
   * \exception ExceptionObject no such class; the message names those there are */
  void
  SetClassEnabled(const std::string & name, bool enabled);
  /** True where a class is overridden.
   * \exception ExceptionObject no such class */
  bool
  GetClassEnabled(const std::string & name) const;

protected:
  CudaSplineFactoryBase();
  ~CudaSplineFactoryBase() override;

  /** Registers an override.
   *
   * \param[in] name ITK's class without template arguments
   * \param[in] overridden the class with them, as typeid names it
   * \param[in] with the module's class, likewise
   * \param[in] create makes an object of it */
  void
  AddOverride(const std::string &        name,
              const std::string &        overridden,
              const std::string &        with,
              CreateObjectFunctionBase * create);

  /** Switches classes off that CUDASPLINE_FACTORY_CLASSES does not name: when all are there. */
  void
  ReadEnvironment();

  /** What ITK asks for the New() of a class: the module's object, or null. If CUDASPLINE_TRACE contains "classes",
   * requested classes that no factory of the module overrides are recorded; the list is written to standard error at
   * the end of the process, one line per class: the number of requests, its name, and whether other arguments of it are
   * overridden. */
  LightObject::Pointer
  CreateObject(const char * itkclassname) override;

  /** Prints which classes are overridden. */
  void
  PrintSelf(std::ostream & os, Indent indent) const override;

private:
  struct Switches;
  std::unique_ptr<Switches> m_Switches;
};

} // namespace itk

#endif
