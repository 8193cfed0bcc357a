/* Stands in for bcryptprimitives.dll, which Wine has since version 9: the random numbers of Windows. */
#include <windows.h>
#include <ntsecapi.h>

__declspec(dllexport) BOOL WINAPI ProcessPrng(BYTE *bytes, SIZE_T count) {
    return RtlGenRandom(bytes, (ULONG)count);
}
