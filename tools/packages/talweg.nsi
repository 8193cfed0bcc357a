; The installer for Windows. It installs for the current user, without the rights of an administrator.
; tools/packages/windows.py defines VERSION, SUMMARY, FILES (the folder to install) and OUT.
; `talweg-…-setup.exe /S` installs, and `uninstall.exe /S` uninstalls, without a window.
; Programs for x86-64 need a Windows for x86-64. Distributions of NSIS for Windows lack this target: use that of Debian.
Target amd64-unicode
Unicode true
SetCompressor /SOLID lzma
Name "Talweg"
OutFile "${OUT}"
RequestExecutionLevel user
InstallDir "$LOCALAPPDATA\Programs\Talweg"
InstallDirRegKey HKCU "Software\Microsoft\Windows\CurrentVersion\Uninstall\Talweg" "InstallLocation"
ManifestDPIAware true
VIProductVersion "${VERSION}.0"
VIAddVersionKey "ProductName" "Talweg"
VIAddVersionKey "FileDescription" "Installs Talweg: ${SUMMARY}"
VIAddVersionKey "FileVersion" "${VERSION}"
VIAddVersionKey "ProductVersion" "${VERSION}"
VIAddVersionKey "CompanyName" "The Talweg developers"
VIAddVersionKey "LegalCopyright" "The Talweg developers"

!include MUI2.nsh
!include FileFunc.nsh
!define MUI_ICON "${FILES}/talweg.ico"
!define MUI_UNICON "${FILES}/talweg.ico"
!define UNINSTALL "Software\Microsoft\Windows\CurrentVersion\Uninstall\Talweg"
!define CLASSES "Software\Classes"
!define APP_PATH "Software\Microsoft\Windows\CurrentVersion\App Paths\talweg.exe"
!insertmacro MUI_PAGE_DIRECTORY
!insertmacro MUI_PAGE_INSTFILES
!define MUI_FINISHPAGE_RUN "$INSTDIR\talweg.exe"
!insertmacro MUI_PAGE_FINISH
!insertmacro MUI_UNPAGE_CONFIRM
!insertmacro MUI_UNPAGE_INSTFILES
!insertmacro MUI_LANGUAGE "English"

Section
  SetOutPath "$INSTDIR"
  File "${FILES}/talweg.exe" "${FILES}/talweg.ico" "${FILES}/*.md" "${FILES}/*.txt"
  WriteUninstaller "$INSTDIR\uninstall.exe"
  CreateShortcut "$SMPROGRAMS\Talweg.lnk" "$INSTDIR\talweg.exe" "" "$INSTDIR\talweg.ico"

  ; Scenes are .ron files, and so are files of other programs. Talweg therefore joins the list "Open with" and leaves
  ; the program that the user has chosen for .ron.
  WriteRegStr HKCU "${CLASSES}\Talweg.Scene" "" "Talweg scene"
  WriteRegStr HKCU "${CLASSES}\Talweg.Scene\DefaultIcon" "" "$INSTDIR\talweg.ico"
  WriteRegStr HKCU "${CLASSES}\Talweg.Scene\shell\open\command" "" '"$INSTDIR\talweg.exe" "%1"'
  WriteRegStr HKCU "${CLASSES}\.ron\OpenWithProgids" "Talweg.Scene" ""
  ; The Run dialog finds `talweg`.
  WriteRegStr HKCU "${APP_PATH}" "" "$INSTDIR\talweg.exe"

  WriteRegStr HKCU "${UNINSTALL}" "DisplayName" "Talweg"
  WriteRegStr HKCU "${UNINSTALL}" "DisplayVersion" "${VERSION}"
  WriteRegStr HKCU "${UNINSTALL}" "DisplayIcon" "$INSTDIR\talweg.ico"
  WriteRegStr HKCU "${UNINSTALL}" "Publisher" "The Talweg developers"
  WriteRegStr HKCU "${UNINSTALL}" "InstallLocation" "$INSTDIR"
  WriteRegStr HKCU "${UNINSTALL}" "UninstallString" '"$INSTDIR\uninstall.exe"'
  WriteRegStr HKCU "${UNINSTALL}" "QuietUninstallString" '"$INSTDIR\uninstall.exe" /S'
  WriteRegDWORD HKCU "${UNINSTALL}" "NoModify" 1
  WriteRegDWORD HKCU "${UNINSTALL}" "NoRepair" 1
  ${GetSize} "$INSTDIR" "/S=0K" $0 $1 $2
  WriteRegDWORD HKCU "${UNINSTALL}" "EstimatedSize" $0
  ; Explorer reads the file types again.
  System::Call 'shell32::SHChangeNotify(i 0x08000000, i 0, p 0, p 0)'
SectionEnd

; Settings, sessions and scenes of the user stay.
Section "Uninstall"
  Delete "$INSTDIR\talweg.exe"
  Delete "$INSTDIR\talweg.ico"
  Delete "$INSTDIR\README.md"
  Delete "$INSTDIR\LICENSE-MIT.txt"
  Delete "$INSTDIR\LICENSE-APACHE.txt"
  Delete "$INSTDIR\THIRD-PARTY-LICENCES.txt"
  Delete "$INSTDIR\uninstall.exe"
  RMDir "$INSTDIR"
  Delete "$SMPROGRAMS\Talweg.lnk"
  DeleteRegKey HKCU "${CLASSES}\Talweg.Scene"
  DeleteRegValue HKCU "${CLASSES}\.ron\OpenWithProgids" "Talweg.Scene"
  DeleteRegKey /ifempty HKCU "${CLASSES}\.ron\OpenWithProgids"
  DeleteRegKey /ifempty HKCU "${CLASSES}\.ron"
  DeleteRegKey HKCU "${APP_PATH}"
  DeleteRegKey HKCU "${UNINSTALL}"
  System::Call 'shell32::SHChangeNotify(i 0x08000000, i 0, p 0, p 0)'
SectionEnd
