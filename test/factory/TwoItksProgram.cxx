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
// A program that holds two ITKs: one of its own (ForeignItk.h), and the shared one.
//
// usage: CudaSplineTwoItksProgram foreign|foreign-first|shared-first|nested

#include "ForeignItk.h"

#include "itkCommand.h"
#include "itkImage.h"
#include "itkResampleImageFilter.h"

#include <iostream>
#include <string>

namespace
{

void
AskForeign()
{
  std::cout << "taken " << ForeignItk::LoadDynamicFactories() << std::endl;
}

void
AskShared()
{
  using Image = itk::Image<float, 3>;
  std::cout << itk::ResampleImageFilter<Image, Image>::New()->GetNameOfClass() << std::endl;
}

/** The shared ITK is on the stack when the other one loads. */
void
AskForeignFromShared()
{
  const auto command = itk::CStyleCommand::New();
  command->SetCallback([](itk::Object *, const itk::EventObject &, void *) { AskForeign(); });
  const auto object = itk::Object::New();
  object->AddObserver(itk::UserEvent(), command);
  object->InvokeEvent(itk::UserEvent());
}

} // namespace

int
main(int argc, char * argv[])
{
  const std::string order = argc > 1 ? argv[1] : "";
  if (order == "foreign" || order == "foreign-first")
  {
    AskForeign();
  }
  if (order == "nested")
  {
    AskForeignFromShared();
  }
  if (order != "foreign")
  {
    AskShared();
  }
  if (order == "shared-first")
  {
    AskForeign();
  }
  return 0;
}
