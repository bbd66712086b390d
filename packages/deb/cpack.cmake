# For CPack; packages/deb/make.py sets the version, the architecture and the folder of files.
set(CPACK_PACKAGE_NAME rocktable)
set(CPACK_PACKAGE_DESCRIPTION "rocktable answers like the Azure Table Storage service, on this machine.
SDKs connect to it unchanged, so it serves as the test backend of a laptop
or a CI job, or in place of Azurite.")
set(CPACK_PACKAGE_VENDOR rocktable)
set(CPACK_PACKAGE_CONTACT "The authors of rocktable")
# Without CPACK_DEBIAN_PACKAGE_HOMEPAGE, because the project has no page on the web.
set(CPACK_PACKAGING_INSTALL_PREFIX "")
set(CPACK_INSTALL_CMAKE_PROJECTS "")
set(CPACK_PACKAGE_FILE_NAME rocktable)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION utils)
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS ca-certificates)
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_DEBIAN_PACKAGE_CONTROL_EXTRA "${CMAKE_CURRENT_LIST_DIR}/postinst;${CMAKE_CURRENT_LIST_DIR}/prerm;${CMAKE_CURRENT_LIST_DIR}/postrm")
