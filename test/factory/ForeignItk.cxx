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
#include "ForeignItk.h"

#include <cstdlib>
#include <filesystem>
#include <set>
#include <sstream>
#include <string>

#include <dlfcn.h>

namespace ForeignItk
{

namespace
{

/** Its layout differs from that of any ITK, so that an object of one does not work by chance. */
class ObjectFactoryBase
{
public:
  virtual ~ObjectFactoryBase() = default;

  std::string m_LibraryPath;
  void *      m_LibraryHandle = nullptr;
};

/** As in itksys::DynamicLoader::GetSymbolAddress(), which may end with a jump. */
void *
GetSymbolAddress(void * library, const std::string & name)
{
  return dlsym(library, name.c_str());
}

int
LoadLibrariesInPath(const std::string & folder)
{
  int                   taken = 0;
  std::error_code       error;
  std::set<std::string> paths;
  for (const auto & entry : std::filesystem::directory_iterator(folder, error))
  {
    if (entry.path().extension() == ".so")
    {
      paths.insert(entry.path().string());
    }
  }
  for (const std::string & path : paths)
  {
    void * const library = dlopen(path.c_str(), RTLD_LAZY);
    if (library == nullptr)
    {
      continue;
    }
    using LoadFunction = ObjectFactoryBase * (*)();
    const auto load = reinterpret_cast<LoadFunction>(GetSymbolAddress(library, "itkLoad"));
    if (load != nullptr)
    {
      ObjectFactoryBase * const factory = load();
      factory->m_LibraryHandle = library;
      factory->m_LibraryPath = path;
      ++taken;
    }
    else
    {
      dlclose(library);
    }
  }
  return taken;
}

} // namespace

int
LoadDynamicFactories()
{
  const char * const variable = std::getenv("ITK_AUTOLOAD_PATH");
  std::istringstream folders(variable == nullptr ? "" : variable);
  int                taken = 0;
  for (std::string folder; std::getline(folders, folder, ':');)
  {
    taken += LoadLibrariesInPath(folder);
  }
  return taken;
}

} // namespace ForeignItk
