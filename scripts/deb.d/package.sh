# shellcheck shell=bash
# Makes the package. Expects $program, $output and $work. Sets $package.

# Prints the server's version, as in /version.
package_version() {
    sed -n 's/.*static let version = "\(.*\)"/\1/p' Sources/App/MapService/MapService.swift
}

# Prints the packages of the program's libraries, as a list for Depends.
package_libraries() {
    mkdir -p "$work/debian"
    # dpkg-shlibdeps requires this file but does not use its values.
    printf 'Source: tileserver\n\nPackage: tileserver\nArchitecture: any\n' >"$work/debian/control"
    (cd "$work" && dpkg-shlibdeps -O --ignore-missing-info root/usr/bin/tileserver 2>"$work/shlibdeps.log") |
        sed -n 's/^shlibs:Depends=//p'
}

# Writes the completions of the program's commands for three shells into the root $1.
completions() {
    local shell place
    for place in bash=bash-completion/completions/tileserver zsh=zsh/vendor-completions/_tileserver \
        fish=fish/vendor_completions.d/tileserver.fish; do
        shell=${place%%=*}
        install -D -m 0644 /dev/stdin "$1/usr/share/${place#*=}" < <("$program" --generate-completion-script "$shell")
    done
}

make_package() {
    local root=$work/root architecture libraries script
    architecture=$(dpkg --print-architecture)
    install -D -m 0755 "$program" "$root/usr/bin/tileserver"
    ! ldd "$root/usr/bin/tileserver" | grep -q libswift ||
        fail "$program needs the Swift libraries of this machine: build it with --static-swift-stdlib"
    install -D -m 0644 -t "$root/lib/systemd/system" deploy/systemd/tileserver.service deploy/systemd/tileserver.socket
    install -D -m 0644 deploy/debian/tileserver.yaml "$root/etc/tileserver/tileserver.yaml"
    completions "$root"
    mkdir -p "$root/usr/share/doc/tileserver"
    cat LICENSE NOTICES >"$root/usr/share/doc/tileserver/copyright"
    install -D -m 0644 -t "$root/usr/share/doc/tileserver/examples" deploy/haproxy.cfg config/cache.yaml
    gzip -9 --no-name --stdout CHANGELOG.md >"$root/usr/share/doc/tileserver/changelog.gz"
    libraries=$(package_libraries)
    [ -n "$libraries" ] || fail "dpkg-shlibdeps names no libraries: $(cat "$work/shlibdeps.log")"

    mkdir -p "$root/DEBIAN"
    echo /etc/tileserver/tileserver.yaml >"$root/DEBIAN/conffiles"
    for script in postinst prerm postrm; do install -m 0755 "deploy/debian/$script" "$root/DEBIAN/$script"; done
    cat >"$root/DEBIAN/control" <<CONTROL
Package: tileserver
Version: $(package_version)
Architecture: $architecture
Maintainer: The authors of tileserver <tileserver@example.org>
Installed-Size: $(du --summarize --block-size=1K "$root" | cut -f 1)
Depends: $libraries, adduser, ca-certificates, procps
Section: web
Priority: optional
Description: raster tile server for maps
 Answers GET /<layer>/<z>/<x>/<y>.png with a tile that another server has, that a file holds, or that is drawn on the spot, and keeps it,
 in memory and on disk. Layers stack to maps, and a map can be had as an image of what a camera sees.
CONTROL
    mkdir -p "$output"
    package=$output/tileserver_$(package_version)_$architecture.deb
    SOURCE_DATE_EPOCH=$(git log -1 --format=%ct 2>/dev/null || date +%s) \
        dpkg-deb --root-owner-group --build "$root" "$package" >/dev/null
    say "made $package, $(du --block-size=1M "$package" | cut -f 1) MiB"
}
