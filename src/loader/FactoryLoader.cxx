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
/** \file
 * \brief The library in a folder that ITK_AUTOLOAD_PATH names: it loads the real one where that fits, and nothing else.
 *
 * Every ITK of a process looks into these folders, whatever its version is and wherever its code lies, and takes what a
 * library's itkLoad() returns for an object of its own. A library that is linked to an ITK brings that ITK with it, and
 * what it returns kills every other. So this one is linked to the C library alone, and itkLoad() is there only for the
 * ITK that the real library is linked to: the shared one, when that very one asks.
 *
 * A null would not do: no ITK up to 6.0 looks at what itkLoad() returns before it writes to it. A library without an
 * itkLoad() all of them close again. itkLoad is an indirect function, which the C library resolves anew each time that
 * it is asked for the symbol: what ResolveItkLoad() returns is what ITK gets for it, and null is "no such symbol".
 * Nothing in here refers to itkLoad, so there is no relocation that would resolve it before this library is ready. */

#include <cerrno>
#include <climits>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include <dlfcn.h>
#include <elf.h>
#include <execinfo.h>
#include <fcntl.h>
#include <gnu/lib-names.h>
#include <link.h>
#include <sys/stat.h>
#include <unistd.h>

namespace
{

/** What the build knows: names of libraries, without folders. */
constexpr char Factories[] = CUDASPLINE_LOADER_FACTORIES;
constexpr char Module[] = CUDASPLINE_LOADER_MODULE;
constexpr char ItkCommon[] = CUDASPLINE_LOADER_ITK_COMMON;
/** Where ITK's dlsym() is; empty where that is in another library of ITK's. */
constexpr char ItkSystem[] = CUDASPLINE_LOADER_ITK_SYSTEM;

/** A symbol of ITKCommon's, whose mangled name is that of every version. */
constexpr char ItkSymbol[] = "_ZN3itk17ObjectFactoryBase6ReHashEv";

using LoadFunction = void * (*)();

/** As CudaSplineTrace::IsOn(). */
bool
IsTraceOn()
{
  const char * const value = std::getenv("CUDASPLINE_TRACE");
  return value != nullptr && *value != '\0' && std::strcmp(value, "0") != 0;
}

/** Says why nothing is loaded, where somebody wants to know, and returns the null of a missing symbol.
 *
 * Silent otherwise: a variable that is set for one program is seen by all that it starts. */
[[gnu::format(printf, 1, 2)]] LoadFunction
Refuse(const char * format, ...)
{
  if (IsTraceOn())
  {
    char         reason[3 * PATH_MAX];
    char         line[sizeof(reason) + 2 * sizeof(Factories) + 64];
    std::va_list arguments;
    va_start(arguments, format);
    std::vsnprintf(reason, sizeof(reason), format, arguments);
    va_end(arguments);
    std::snprintf(line, sizeof(line), "CudaSpline: %s is not loaded, because %s.\n", Factories, reason);
    std::fputs(line, stderr); // one write: lines of several threads are not mixed
  }
  return nullptr;
}

/** The loaded object (program or library) that an address belongs to, or null. */
const link_map *
ObjectOf(const void * address)
{
  Dl_info info;
  void *  object = nullptr;
  return dladdr1(address, &info, &object, RTLD_DL_LINKMAP) != 0 ? static_cast<const link_map *>(object) : nullptr;
}

/** The library that a dependency of this name is bound to, where that is loaded already; null otherwise. */
const link_map *
LoadedLibrary(const char * name)
{
  void * const library = *name == '\0' ? nullptr : dlopen(name, RTLD_LAZY | RTLD_NOLOAD);
  if (library == nullptr)
  {
    return nullptr;
  }
  link_map * object = nullptr;
  dlinfo(library, RTLD_DI_LINKMAP, &object);
  dlclose(library); // it was open before, and the library that opened it is on the stack or is not the caller
  return object;
}

/** The object whose code asks for itkLoad: an ITK's. Null where the stack does not tell.
 *
 * By the stack, because dlsym() does not tell a resolver its caller. The nearest frame outside of the C library and of
 * ITK's system library is meant: a shared ITK may have called the program that holds another, and that again this one.
 * */
const link_map *
FindCaller()
{
  const link_map * const self = ObjectOf(Factories);
  const link_map * const between[] = {
    self, LoadedLibrary(LIBC_SO), LoadedLibrary(LIBDL_SO), LoadedLibrary(LD_SO), LoadedLibrary(ItkSystem)
  };
  void *    frames[64];
  const int count = backtrace(frames, 64);
  bool      isOutside = false; // of the calls of this library: sanitizers replace backtrace()
  for (int frame = 0; frame < count; ++frame)
  {
    const link_map * const object = ObjectOf(frames[frame]);
    isOutside = isOutside || object == self;
    bool isBetween = object == nullptr;
    for (const link_map * const other : between)
    {
      isBetween = isBetween || object == other;
    }
    if (isOutside && !isBetween)
    {
      return object;
    }
  }
  return nullptr;
}

/** For messages; a program's own name is empty. */
const char *
NameOf(const link_map * object)
{
  return object == nullptr ? "an unknown caller" : *object->l_name == '\0' ? "the program itself" : object->l_name;
}

/** Cuts the last name off a path; false where there is none. */
bool
CutName(char * path)
{
  char * const slash = std::strrchr(path, '/');
  if (slash == nullptr)
  {
    return false;
  }
  *slash = '\0';
  return true;
}

/** Reads all of an object from a place in a file. */
template <typename T>
bool
ReadAt(int file, off_t place, T & object)
{
  return pread(file, &object, sizeof(T), place) == static_cast<ssize_t>(sizeof(T));
}

/** \brief What is wrong with the file of a library, or null.
 *
 * The dynamic loader maps what is written in the headers: where the end of a file is missing or was never written, the
 * process dies by a signal when it is read. The table of sections is what linkers write last. */
const char *
DamageOf(const char * path)
{
  const int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0)
  {
    return std::strerror(errno);
  }
  const char * damage = "it is not a library";
  struct stat  status;
  ElfW(Ehdr) header;
  if (fstat(file, &status) == 0 && ReadAt(file, 0, header) && std::memcmp(header.e_ident, ELFMAG, SELFMAG) == 0)
  {
    const auto length = static_cast<ElfW(Off)>(status.st_size);
    bool       isWhole = header.e_phentsize == sizeof(ElfW(Phdr));
    for (unsigned int i = 0; isWhole && i < header.e_phnum; ++i)
    {
      ElfW(Phdr) segment;
      isWhole = ReadAt(file, static_cast<off_t>(header.e_phoff + i * sizeof(segment)), segment) &&
                segment.p_offset + segment.p_filesz <= length;
    }
    if (isWhole && header.e_shoff != 0)
    {
      ElfW(Shdr) section;
      const auto place = header.e_shoff + header.e_shstrndx * sizeof(section);
      isWhole = header.e_shoff + header.e_shnum * sizeof(section) <= length &&
                ReadAt(file, static_cast<off_t>(place), section) && section.sh_type == SHT_STRTAB;
    }
    damage = isWhole ? nullptr : "its end is missing";
  }
  close(file);
  return damage;
}

/** \brief Loads the real library, which is next to this one's folder, and returns the function that makes its factory.
 *
 * By the place of the file and not by the name that it was opened by: a link may be in a folder of the user's. */
LoadFunction
LoadFactories()
{
  const link_map * const self = ObjectOf(Factories);
  char                   folder[PATH_MAX];
  if (self == nullptr || realpath(self->l_name, folder) == nullptr || !CutName(folder) || !CutName(folder))
  {
    return Refuse("the folder of %s cannot be found", NameOf(self));
  }
  char path[PATH_MAX + sizeof(Factories) + sizeof(Module)];
  // Its dependencies are next to it; elsewhere only if a build was assembled manually.
  std::snprintf(path, sizeof(path), "%s/%s", folder, Module);
  const char * damage = access(path, F_OK) == 0 ? DamageOf(path) : nullptr;
  if (damage == nullptr)
  {
    std::snprintf(path, sizeof(path), "%s/%s", folder, Factories);
    damage = DamageOf(path);
  }
  if (damage != nullptr)
  {
    return Refuse("%s cannot be used: %s", path, damage);
  }
  // Bound at once: missing symbols of a library of the same name are reported here, and do not end the program later.
  // Never closed, as objects outlive the factory.
  void * const library = dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  if (library == nullptr)
  {
    return Refuse("of this error: %s", dlerror());
  }
  void * const load = dlsym(library, "CudaSplineMakeLoadedFactory");
  return load == nullptr ? Refuse("%s is of another version", path) : reinterpret_cast<LoadFunction>(load);
}

} // namespace

extern "C"
{
  /** What dlsym() gives for itkLoad. The C library holds its lock, which the thread may take again; no code of ITK's is
   * called. Not static: only by GCC would its name be that of C. */
  [[gnu::visibility("hidden")]] LoadFunction
  ResolveItkLoad()
  {
    const link_map * const common = LoadedLibrary(ItkCommon);
    if (common == nullptr)
    {
      return Refuse(
        "it was built with %s, which is not loaded in this process: it uses another ITK, or a statically linked one",
        ItkCommon);
    }
    const link_map * const caller = FindCaller();
    if (caller != common)
    {
      return Refuse("it was requested by the ITK of %s, but was built for %s", NameOf(caller), common->l_name);
    }
    // A program that exports an ITK of its own has replaced parts of the shared one by it.
    const void * const first = dlsym(RTLD_DEFAULT, ItkSymbol);
    if (first != nullptr && ObjectOf(first) != common)
    {
      return Refuse("%s has symbols of an ITK that replace those of %s", NameOf(ObjectOf(first)), common->l_name);
    }
    return LoadFactories();
  }

  /** What ITK calls of each library in the folders of ITK_AUTOLOAD_PATH. */
  [[gnu::visibility("default"), gnu::ifunc("ResolveItkLoad")]] void *
  itkLoad();
}
