//! The console window of Windows.
//!
//! `talweg.exe` is a console program, so that shells wait for it and get its output and its exit code. If the user
//! starts it from the desktop, Windows opens a console for this program alone, which the editor closes. Since version
//! 24H2 of Windows 11, the manifest of the program keeps Windows from opening that console.

use windows_sys::Win32::System::Console::{FreeConsole, GetConsoleProcessList};

/// Closes the console if no other program uses it. The console of a shell stays.
#[allow(unsafe_code, reason = "only the functions of the system report and close a console")]
pub fn close_own_console() {
    let mut processes = [0; 2];
    // SAFETY: the system writes at most as many numbers as the buffer has
    let attached = unsafe { GetConsoleProcessList(processes.as_mut_ptr(), processes.len() as u32) };
    if attached == 1 {
        // SAFETY: no other code of this program uses the console directly; later writes to it fail without effect
        let _ = unsafe { FreeConsole() };
    }
}
