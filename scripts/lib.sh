# shellcheck shell=bash
# What the scripts share. Sourced by bash, never run by itself.

# Debian keeps nginx and debootstrap where only root's PATH looks.
export PATH="$PATH:/usr/local/sbin:/usr/sbin:/sbin"

# The headers the C targets include, and the Debian package each comes from.
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
)

# Names the command that ends a script: not every program says why it failed.
set -o errtrace
trap 'say "line $LINENO: status $?: $BASH_COMMAND"' ERR

say() {
    printf '%s: %s\n' "$(basename "$0")" "$*" >&2
}

fail() {
    say "$*"
    exit 1
}

# Whether the C compiler finds a header: true for one installed by hand, and on systems without dpkg.
has_header() {
    printf '#include <stdio.h>\n#include <%s>\n' "$1" | "$compiler" -E -x c - >/dev/null 2>&1
}

# need_build: what `swift build` needs of the system.
need_build() {
    # Elsewhere Debian's names of packages are no help.
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

# build argument ...: `swift build`, saying that the first one takes a while, and what it lacks where it fails.
build() {
    announce_build "$@"
    swift build "$@" || explain_failure $?
}

# announce_build argument ...: says how long what follows takes, where nothing of it is there yet.
announce_build() {
    local configuration=debug
    case " $* " in *" release "*) configuration=release ;; esac
    [ -d ".build/$configuration/TileServer.build" ] ||
        say "the first build takes about ten minutes on two cores; later ones take what has changed"
}

# explain_failure status: ends with the status of a build that failed; names the packages that SwiftPM wanted and does not have.
explain_failure() {
    local url version missing=
    while read -r url && read -r version; do
        [ -d ".build/checkouts/$(basename "$url" .git)" ] || missing+=$'\n'"    $url $version"
    done < <(sed -nE 's/.*"(location|version)" : "(.*)".*/\2/p' Package.resolved)
    [ -z "$missing" ] ||
        say "these packages are not here and could not be fetched; the first build needs the network for them:$missing"
    exit "$1"
}

# need_commands command:package ...: programs that a script calls.
need_commands() {
    local entry missing=()
    for entry in "$@"; do
        command -v "${entry%%:*}" >/dev/null || missing+=("${entry#*:}")
    done
    install_packages "${missing[@]}"
}

# need_tests: what the tests need beside the build: certificates of their own, a Redis, and a judge of JSON Schema.
need_tests() {
    need_build
    need_commands openssl:openssl redis-server:redis-server
    local missing=()
    # Debian's own Python: another one in PATH would not find Debian's packages.
    /usr/bin/python3 -c 'import jsonschema, yaml' 2>/dev/null || missing=(python3-jsonschema python3-yaml)
    install_packages "${missing[@]}"
}

# install_packages package ...: by apt, saying so; silent where there is nothing to do.
install_packages() {
    [ $# -gt 0 ] || return 0
    command -v apt-get >/dev/null || fail "missing $* (Debian's names), and there is no apt-get to install them with"
    local root=()
    if [ "$(id -u)" -ne 0 ]; then
        command -v sudo >/dev/null || fail "missing $*; as root: apt-get install $*"
        root=(sudo)
        # Nobody is there to type a password.
        [ -t 0 ] || root+=(-n)
    fi
    say "installing $* with apt-get"
    local apt=("${root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -qq -o=Dpkg::Use-Pty=0)
    {
        "${apt[@]}" update && "${apt[@]}" install --yes --no-install-recommends "$@"
    } </dev/null >/dev/null || fail "apt-get could not install $*"
}
