# `cmake --install` installs what the packages contain: the program, its manual page, completions, a systemd unit that is
# not enabled, and the licence. The manual page and the completions are written from the options of the program.
include(GNUInstallDirs)

install(TARGETS rocktable RUNTIME)
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(FILES packages/deb/rocktable.service DESTINATION lib/systemd/system)

find_package(Python3 3.9 COMPONENTS Interpreter)
if(NOT Python3_FOUND)
  message(STATUS "Python is not installed: `cmake --install` leaves out the manual page and the completions")
  return()
endif()

set(documents_folder ${PROJECT_BINARY_DIR}/documents)
file(MAKE_DIRECTORY ${documents_folder})
set(documents rocktable.1 rocktable.bash rocktable.zsh rocktable.fish rocktable.ps1)
list(TRANSFORM documents PREPEND ${documents_folder}/)
file(GLOB document_sources ${PROJECT_SOURCE_DIR}/packages/documents/*.py)
add_custom_command(
  OUTPUT ${documents}
  COMMAND rocktable help --json > ${documents_folder}/description.json
  COMMAND Python3::Interpreter ${PROJECT_SOURCE_DIR}/packages/documents/write.py
    ${documents_folder}/description.json ${PROJECT_VERSION} ${documents_folder}
  DEPENDS rocktable ${document_sources}
  VERBATIM)
add_custom_target(documents ALL DEPENDS ${documents})

install(FILES ${documents_folder}/rocktable.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
install(FILES ${documents_folder}/rocktable.bash
  DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME rocktable)
install(FILES ${documents_folder}/rocktable.zsh DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/vendor-completions RENAME _rocktable)
install(FILES ${documents_folder}/rocktable.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
