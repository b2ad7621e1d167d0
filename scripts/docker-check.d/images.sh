# shellcheck shell=bash
# Makes the base images and the project's image. Expects $work, $mirror and $image.

debian_image=docker.io/library/debian:bookworm-slim
swift_image=docker.io/library/swift:6.3-bookworm

# Programs of the toolchain that the build does not use. Without them the image is a third of the size.
toolchain_leaves_out=(
    'usr/bin/lldb*' usr/bin/clangd usr/bin/docc usr/bin/sourcekit-lsp usr/bin/swift-format 'usr/lib/liblldb*'
    usr/lib/libsourcekitdInProc.so usr/lib/swift_static/embedded 'usr/lib/swift/embedded' 'usr/lib/swift/android*'
)

# Runs buildah with a separate store, so that the machine's own images stay unchanged.
in_store() {
    local command=$1
    shift
    buildah --root "$work/store" --runroot "$work/run" --storage-driver vfs "$command" "$@"
}

has_image() {
    in_store inspect --type image "$1" >/dev/null 2>&1
}

# commit_directory directory image: makes an image from a directory.
commit_directory() {
    local container
    container=$(in_store from scratch)
    in_store add --quiet "$container" "$1" / >/dev/null
    in_store config --env PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin "$container"
    in_store commit --quiet --format docker --rm "$container" "$2" >/dev/null
}

make_debian_image() {
    has_image "$debian_image" && return
    say "making $debian_image with debootstrap from $mirror"
    debootstrap --variant=minbase bookworm "$work/debian" "$mirror" >"$work/debootstrap.log" 2>&1 ||
        fail "debootstrap failed: $(tail -n 3 "$work/debootstrap.log")"
    # Like the slim image, this one has no package archives, no package lists and no documentation.
    rm -rf "$work"/debian/var/cache/apt/archives/*.deb "$work"/debian/var/lib/apt/lists/* "$work"/debian/usr/share/doc/* \
        "$work"/debian/usr/share/man/* "$work"/debian/usr/share/locale/*
    # Also keep apt from storing archives at later installations.
    cat >"$work/debian/etc/apt/apt.conf.d/docker-clean" <<'CLEAN'
DPkg::Post-Invoke { "rm -f /var/cache/apt/archives/*.deb /var/cache/apt/*.bin || true"; };
APT::Update::Post-Invoke { "rm -f /var/cache/apt/archives/*.deb /var/cache/apt/*.bin || true"; };
Dir::Cache::pkgcache "";
Dir::Cache::srcpkgcache "";
CLEAN
    rm -f "$work"/debian/var/cache/apt/*.bin
    commit_directory "$work/debian" "$debian_image"
}

make_swift_image() {
    has_image "$swift_image" && return
    local toolchain leave_out=() pattern container
    # swift is PREFIX/usr/bin/swift.
    toolchain=$(realpath "$(dirname "$(realpath "$(command -v swift)")")/../..")
    say "making $swift_image with the toolchain in $toolchain"
    for pattern in "${toolchain_leaves_out[@]}"; do leave_out+=("--exclude=./$pattern"); done
    [ -d "$work/debian" ] || fail "$work/debian is gone; remove $work and begin again"
    mkdir -p "$work/swift"
    tar -C "$work/debian" -cf - . | tar -C "$work/swift" -xf -
    tar -C "$toolchain" "${leave_out[@]}" -cf - ./usr | tar -C "$work/swift" -xf - --keep-directory-symlink
    container=$(in_store from scratch)
    in_store add --quiet "$container" "$work/swift" / >/dev/null
    # Packages that the toolchain needs, from swift.org's list for Debian 12.
    in_store run --isolation chroot "$container" -- sh -c 'apt-get -qq update && DEBIAN_FRONTEND=noninteractive apt-get \
        -qq install --yes --no-install-recommends binutils ca-certificates gcc git libc6-dev libcurl4-openssl-dev \
        libedit2 libgcc-12-dev libncurses6 libsqlite3-0 libstdc++-12-dev libxml2 libz3-dev pkg-config tzdata zlib1g-dev' \
        >"$work/swift.log" 2>&1 || fail "the Swift image failed: $(tail -n 3 "$work/swift.log")"
    in_store config --env PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin "$container"
    in_store commit --quiet --format docker --rm "$container" "$swift_image" >/dev/null
    rm -rf "$work/swift"
}

# Prints --volume arguments for buildah, one a line. If git reads GitHub from a local directory (insteadOf), the build
# inside the container needs that directory too.
git_mirror_volumes() {
    local key target
    git config --get-regexp '^url\..*\.insteadof$' 2>/dev/null | while read -r key _; do
        target=${key#url.}
        target=${target%.insteadof}
        [ -d "$target" ] && printf -- '--volume=%s:%s:ro\n' "$target" "$target"
    done | sort -u
}

# Writes a git configuration that has these redirections and no other setting of the user.
write_git_configuration() {
    local key from
    : >"$work/gitconfig"
    git config --file "$work/gitconfig" --add safe.directory '*'
    git config --get-regexp '^url\..*\.insteadof$' 2>/dev/null | while read -r key from; do
        git config --file "$work/gitconfig" --add "$key" "$from"
    done
}

# Fails if buildah and scripts/support/dockerignore.py, which .ci/image-build uses, disagree about the files of the
# context.
check_context() {
    local container mounted
    printf 'FROM scratch\nCOPY . /\n' >"$work/Context"
    in_store build --layers=false --tag localhost/context --ignorefile .dockerignore --file "$work/Context" . \
        >"$work/context.log" 2>&1 || fail "copying the context failed: $(tail -n 20 "$work/context.log")"
    container=$(in_store from --pull-never localhost/context)
    mounted=$(in_store mount "$container")
    (cd "$mounted" && find . -type f -o -type l) | cut -c 3- | LC_ALL=C sort >"$work/context.files"
    in_store rm "$container" >/dev/null
    python3 scripts/support/image.py files | LC_ALL=C sort | diff - "$work/context.files" >&2 ||
        fail "buildah and scripts/support/dockerignore.py read .dockerignore differently (>: a file that buildah alone lets in)"
}

build_project_image() {
    local volumes
    write_git_configuration
    mapfile -t volumes < <(git_mirror_volumes)
    say "building $image"
    # Use the docker format, because OCI images have no HEALTHCHECK.
    in_store build --isolation chroot --format docker --layers=false --pull-never --tag "$image" \
        --volume "$work/gitconfig:/etc/gitconfig:ro" "${volumes[@]}" . >"$work/build.log" 2>&1 ||
        fail "the build failed: $(tail -n 20 "$work/build.log")"
}
