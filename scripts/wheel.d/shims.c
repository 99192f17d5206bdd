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
/* Functions of newer C libraries that the runtimes of C++ and of the compiler need, implemented with glibc 2.28: linked
 * into a library that has to run there (old-glibc). All of them are hidden within that library. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <link.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/random.h>
#include <sys/stat.h>

/* 2.32: false is always right, atomic operations are then atomic. */
char __libc_single_threaded = 0;

/* Never in the shared library, but in a part that is linked in. */
extern void * __dso_handle __attribute__((visibility("hidden")));
int
__cxa_atexit(void (*function)(void *), void * argument, void * library);

int
atexit(void (*function)(void))
{
  return __cxa_atexit(
    (void (*)(void *))(void *)function, NULL, __dso_handle); /* takes no argument: it is not looked at */
}

/* 2.36, for std::random_device. */
uint32_t
arc4random(void)
{
  uint32_t number = 0;
  while (getentropy(&number, sizeof(number)) != 0)
  {}
  return number;
}

#if __GLIBC_PREREQ(2, 33)
/* 2.33; before, functions of a header. */
#  if defined(__x86_64__)
#    define STATUS_VERSION 1
#  else
#    define STATUS_VERSION 0
#  endif
#  define STATUS_FUNCTION(name, old, type, place)                                                                      \
    int old(int version, place, struct type * status);                                                                 \
    int name(place, struct type * status)                                                                              \
    {                                                                                                                  \
      return old(STATUS_VERSION, from, status);                                                                        \
    }
STATUS_FUNCTION(stat, __xstat, stat, const char * from)
STATUS_FUNCTION(stat64, __xstat64, stat64, const char * from)
STATUS_FUNCTION(lstat, __lxstat, stat, const char * from)
STATUS_FUNCTION(lstat64, __lxstat64, stat64, const char * from)
STATUS_FUNCTION(fstat, __fxstat, stat, int from)
STATUS_FUNCTION(fstat64, __fxstat64, stat64, int from)
#endif

#if defined(DLFO_STRUCT_HAS_EH_DBASE)
/* 2.35: which loaded object has an address, and where the tables are by which exceptions unwind. */
struct search
{
  uintptr_t               address;
  struct dl_find_object * result;
};

static int
look_at(struct dl_phdr_info * info, size_t size, void * data)
{
  struct search * const search = data;
  const ElfW(Phdr) * frames = NULL;
  uintptr_t begin = UINTPTR_MAX;
  uintptr_t end = 0;
  int       has_address = 0;
  (void)size;
  for (int i = 0; i < info->dlpi_phnum; ++i)
  {
    const ElfW(Phdr) * const header = &info->dlpi_phdr[i];
    const uintptr_t          first = info->dlpi_addr + header->p_vaddr;
    const uintptr_t          last = first + header->p_memsz;
    if (header->p_type == PT_LOAD)
    {
      begin = first < begin ? first : begin;
      end = last > end ? last : end;
      has_address |= search->address >= first && search->address < last;
    }
    else if (header->p_type == PT_GNU_EH_FRAME)
    {
      frames = header;
    }
  }
  if (!has_address)
  {
    return 0;
  }
  search->result->dlfo_flags = 0;
  search->result->dlfo_map_start = (void *)begin;
  search->result->dlfo_map_end = (void *)end;
  search->result->dlfo_link_map = NULL;
  search->result->dlfo_eh_frame = frames == NULL ? NULL : (void *)(info->dlpi_addr + frames->p_vaddr);
  return frames == NULL ? -1 : 1;
}

int
_dl_find_object(void * address, struct dl_find_object * result)
{
  struct search search = { (uintptr_t)address, result };
  return dl_iterate_phdr(look_at, &search) == 1 ? 0 : -1;
}
#endif
