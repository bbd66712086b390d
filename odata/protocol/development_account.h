// The well-known account, the same on every machine: the default account of all emulators of the service.
// Source: learn.microsoft.com/azure/storage/common/storage-connect-azurite
#pragma once

#include <string_view>

namespace rocktable {

inline constexpr std::string_view kDevelopmentAccount = "devstoreaccount1";
inline constexpr std::string_view kDevelopmentKey =
    "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw==";

}  // namespace rocktable
