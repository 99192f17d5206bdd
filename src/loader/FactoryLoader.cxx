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
 * \brief Loader library in a folder of ITK_AUTOLOAD_PATH. It loads the factory's library if that matches the calling
 * ITK, and has no other purpose.
 *
 * Every ITK in a process searches these folders, for any version and location of its code, and treats the result of a
 * library's itkLoad() as an object of its own. A library that is linked to an ITK loads that ITK, and its object would
 * crash any other ITK. Therefore this library is linked to the C library only, and it provides itkLoad() only to the
 * ITK to which the factory's library is linked, if that is the shared library that calls.
 *
 * Returning null is not possible: no ITK up to 6.0 checks the result of itkLoad() before it writes to it. All versions
 * close a library without an itkLoad(). Therefore itkLoad is an indirect function, which the C library resolves each
 * time the symbol is requested. The result of ResolveItkLoad() is what ITK gets for the symbol, and null means that
 * there is no such symbol. No code in this file refers to itkLoad, so there is no relocation that would resolve it
 * before this library is ready. */

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

/** Names of libraries from the build, without folders. */
constexpr char Factories[] = CUDASPLINE_LOADER_FACTORIES;
constexpr char Module[] = CUDASPLINE_LOADER_MODULE;
constexpr char ItkCommon[] = CUDASPLINE_LOADER_ITK_COMMON;
/** The library that contains ITK's call of dlsym(); empty if it is in another library of ITK. */
constexpr char ItkSystem[] = CUDASPLINE_LOADER_ITK_SYSTEM;

/** A symbol of ITKCommon whose mangled name is the same in every version. */
constexpr char ItkSymbol[] = "_ZN3itk17ObjectFactoryBase6ReHashEv";

using LoadFunction = void * (*)();

/** Same as CudaSplineTrace::IsOn(). */
bool
IsTraceOn()
{
  const char * const value = std::getenv("CUDASPLINE_TRACE");
  return value != nullptr && *value != '\0' && std::strcmp(value, "0") != 0;
}

/** Prints why nothing is loaded if the trace is on, and returns null for a missing symbol.
 *
 * It is silent otherwise, because a variable that is set for one program is inherited by all programs that it starts.
 */
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
    std::fputs(line, stderr); // one write, so that lines of several threads are not mixed
  }
  return nullptr;
}

/** Returns the loaded object (program or library) that contains an address, or null. */
const link_map *
ObjectOf(const void * address)
{
  Dl_info info;
  void *  object = nullptr;
  return dladdr1(address, &info, &object, RTLD_DL_LINKMAP) != 0 ? static_cast<const link_map *>(object) : nullptr;
}

/** Returns the library to which a dependency of this name is bound, if it is already loaded; otherwise null. */
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

/** Returns the object whose code requests itkLoad, which is an ITK. Null if the stack does not show it.
 *
 * The stack is used because dlsym() does not pass its caller to a resolver. The caller is the nearest frame outside of
 * the C library and of ITK's system library: a shared ITK may have called a program that contains another ITK, which
 * then calls this library. */
const link_map *
FindCaller()
{
  const link_map * const self = ObjectOf(Factories);
  const link_map * const between[] = {
    self, LoadedLibrary(LIBC_SO), LoadedLibrary(LIBDL_SO), LoadedLibrary(LD_SO), LoadedLibrary(ItkSystem)
  };
  void *    frames[64];
  const int count = backtrace(frames, 64);
  bool      isOutside = false; // frames of this library have been passed: sanitizers replace backtrace()
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

/** Returns a name for messages. The name of a program is empty. */
const char *
NameOf(const link_map * object)
{
  return object == nullptr ? "an unknown caller" : *object->l_name == '\0' ? "the program itself" : object->l_name;
}

/** Removes the last component of a path. Returns false if there is none. */
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

/** Reads an object from a position in a file. */
template <typename T>
bool
ReadAt(int file, off_t place, T & object)
{
  return pread(file, &object, sizeof(T), place) == static_cast<ssize_t>(sizeof(T));
}

/** \brief Describes the damage of a library file, or returns null.
 *
 * The dynamic loader maps the ranges in the headers. If the end of a file is missing or was never written, the process
 * is killed by a signal when it is read. Linkers write the table of sections last. */
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

/** \brief Loads the factory's library, which is next to the folder of this library, and returns the function that makes
 * the factory.
 *
 * The location of the file is used, not the name with which it was opened, because a link may be in a folder of the
 * user. */
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
  // Its dependencies are next to it. They are elsewhere only if a build was assembled manually.
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
  // RTLD_NOW: missing symbols of a library with the same name are reported here, and do not end the program later. It
  // is never closed, because objects outlive the factory.
  void * const library = dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  if (library == nullptr)
  {
    return Refuse("it cannot be loaded: %s", dlerror());
  }
  void * const load = dlsym(library, "CudaSplineMakeLoadedFactory");
  return load == nullptr ? Refuse("%s belongs to another version", path) : reinterpret_cast<LoadFunction>(load);
}

} // namespace

extern "C"
{
  /** Returns the address for the symbol itkLoad to dlsym(). The C library holds its lock, which this thread may lock
   * again. No code of ITK is called. It is not static, because only GCC would then keep its C name. */
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
    // A program that exports its own ITK has replaced parts of the shared one.
    const void * const first = dlsym(RTLD_DEFAULT, ItkSymbol);
    if (first != nullptr && ObjectOf(first) != common)
    {
      return Refuse("%s exports symbols of ITK that replace those of %s", NameOf(ObjectOf(first)), common->l_name);
    }
    return LoadFactories();
  }

  /** ITK calls this function of each library in the folders of ITK_AUTOLOAD_PATH. */
  [[gnu::visibility("default"), gnu::ifunc("ResolveItkLoad")]] void *
  itkLoad();
}
