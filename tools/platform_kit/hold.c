/* Opens a file so that no other program can replace it, says so, and waits: hold FILE MILLISECONDS */
#include <stdio.h>
#include <wchar.h>
#include <windows.h>

int wmain(int count, wchar_t **arguments) {
    if (count != 3) return 2;
    HANDLE file = CreateFileW(arguments[1], GENERIC_READ, FILE_SHARE_READ, NULL, OPEN_EXISTING, 0, NULL);
    if (file == INVALID_HANDLE_VALUE) return 1;
    puts("held");
    fflush(stdout);
    Sleep(wcstoul(arguments[2], NULL, 10));
    CloseHandle(file);
    return 0;
}
