# shellcheck shell=bash
# Functions that several scripts use. Source this file in bash; do not run it.

# Debian installs nginx and debootstrap in directories that only root's PATH contains.
export PATH="$PATH:/usr/local/sbin:/usr/sbin:/sbin"

# Headers that the C targets include, each with its Debian package.
build_headers=(
    png.h:libpng-dev
    zlib.h:zlib1g-dev
    turbojpeg.h:libturbojpeg0-dev
    webp/decode.h:libwebp-dev
    curl/curl.h:libcurl4-openssl-dev
    openssl/sha.h:libssl-dev
    sqlite3.h:libsqlite3-dev
    xxhash.h:libxxhash-dev
    hiredis/read.h:libhiredis-dev
    nghttp2/nghttp2.h:libnghttp2-dev
    harfbuzz/hb.h:libharfbuzz-dev
    fribidi/fribidi.h:libfribidi-dev
)

# Names the command that ends a script, because some commands fail without a message.
set -o errtrace
trap 'say "line $LINENO: status $?: $BASH_COMMAND"' ERR

say() {
    printf '%s: %s\n' "$(basename "$0")" "$*" >&2
}

fail() {
    say "$*"
    exit 1
}

# Reports whether the C compiler finds a header. This also works for headers installed by hand, and on systems without
# dpkg.
has_header() {
    printf '#include <stdio.h>\n#include <%s>\n' "$1" | "$compiler" -E -x c - >/dev/null 2>&1
}

# need_build: installs the packages that `swift build` needs.
need_build() {
    # Elsewhere the names of Debian packages do not help.
    [ "$(uname -s)" = Linux ] ||
        fail "the server runs on Linux only; on $(uname -s) it runs in Docker: docker compose up --build"
    command -v swift >/dev/null ||
        fail "Swift is not installed or not in PATH; version 6.3 is at https://www.swift.org/install/linux/"
    compiler=$(command -v clang || command -v cc) || fail "no C compiler in PATH; Debian's package gcc has one"
    local entry missing=()
    for entry in "${build_headers[@]}"; do
        has_header "${entry%%:*}" || missing+=("${entry#*:}")
    done
    install_packages "${missing[@]}"
}

# build argument ...: runs `swift build`. Announces a long first build, and explains a failure.
build() {
    announce_build "$@"
    swift build "$@" || explain_failure $?
}

# announce_build argument ...: says that the build takes long if there is no earlier build.
announce_build() {
    local configuration=debug
    case " $* " in *" release "*) configuration=release ;; esac
    [ -d ".build/$configuration/TileServer.build" ] ||
        say "the first build takes about ten minutes on two cores; later ones take what has changed"
}

# explain_failure status: names the packages that SwiftPM could not fetch, and exits with the build's status.
explain_failure() {
    local url version missing=
    while read -r url && read -r version; do
        [ -d ".build/checkouts/$(basename "$url" .git)" ] || missing+=$'\n'"    $url $version"
    done < <(sed -nE 's/.*"(location|version)" : "(.*)".*/\2/p' Package.resolved)
    [ -z "$missing" ] ||
        say "these packages are not here and could not be fetched; the first build needs the network for them:$missing"
    exit "$1"
}

# need_commands command:package ...: installs the packages of missing commands.
need_commands() {
    local entry missing=()
    for entry in "$@"; do
        command -v "${entry%%:*}" >/dev/null || missing+=("${entry#*:}")
    done
    install_packages "${missing[@]}"
}

# need_tests: installs the further packages that the tests need: OpenSSL for certificates, Redis, and a JSON Schema
# checker.
need_tests() {
    need_build
    need_commands openssl:openssl redis-server:redis-server
    local missing=()
    # Use Debian's Python, because another Python in PATH would not find Debian's packages.
    /usr/bin/python3 -c 'import jsonschema, yaml' 2>/dev/null || missing=(python3-jsonschema python3-yaml)
    install_packages "${missing[@]}"
}

# install_packages package ...: installs the packages with apt and says so. Does nothing without arguments.
install_packages() {
    [ $# -gt 0 ] || return 0
    command -v apt-get >/dev/null || fail "missing $* (Debian's names), and there is no apt-get to install them with"
    local root=()
    if [ "$(id -u)" -ne 0 ]; then
        command -v sudo >/dev/null || fail "missing $*; as root: apt-get install $*"
        root=(sudo)
        # Without a terminal no user can type a password.
        [ -t 0 ] || root+=(-n)
    fi
    say "installing $* with apt-get"
    local apt=("${root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -qq -o=Dpkg::Use-Pty=0)
    {
        "${apt[@]}" update && "${apt[@]}" install --yes --no-install-recommends "$@"
    } </dev/null >/dev/null || fail "apt-get could not install $*"
}
