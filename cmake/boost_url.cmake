# Boost.URL from its headers, compiled for size. Debian's library is one object without sections for its functions, so the
# linker would keep all of it.
file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/boost_url.cc CONTENT "#include <boost/url/src.hpp>\n" @ONLY)
add_library(boost_url STATIC ${PROJECT_BINARY_DIR}/boost_url.cc)
target_compile_options(boost_url PRIVATE -w -Os)
target_link_libraries(boost_url PUBLIC Boost::headers)
add_library(Boost::url ALIAS boost_url)
