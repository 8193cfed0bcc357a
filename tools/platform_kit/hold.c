/* Opens a file so that no other program can replace it, and says so: hold FILE [PATTERN]
   With a PATTERN such as .talweg-*, it closes the file as soon as another program has made a file of that name. */
#include <stdio.h>
#include <wchar.h>
#include <windows.h>

int wmain(int count, wchar_t **arguments) {
    if (count < 2) return 2;
    HANDLE file = CreateFileW(arguments[1], GENERIC_READ, FILE_SHARE_READ, NULL, OPEN_EXISTING, 0, NULL);
    if (file == INVALID_HANDLE_VALUE) return 1;
    puts("held");
    fflush(stdout);
    WIN32_FIND_DATAW found;
    while (count < 3 || FindFirstFileW(arguments[2], &found) == INVALID_HANDLE_VALUE) Sleep(10);
    Sleep(50);
    CloseHandle(file);
    return 0;
}
