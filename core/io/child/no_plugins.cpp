// HDF5 opens plugins by the functions of dlfcn.h. In the reader the linker puts these in their place.
extern "C" {

void* __wrap_dlopen(const char*, int) { return nullptr; }
void* __wrap_dlsym(void*, const char*) { return nullptr; }
int __wrap_dlclose(void*) { return -1; }
char* __wrap_dlerror() { return nullptr; }
}
