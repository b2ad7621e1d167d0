# shellcheck shell=bash
# Tests the package in its own Debian root. Expects $package, $mirror and $work.

server=
debian=

in_debian() {
    chroot "$debian" /usr/bin/env --ignore-environment PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
        DEBIAN_FRONTEND=noninteractive "$@"
}

check_package() {
    debian=$work/debian-root
    say "making a Debian with debootstrap from $mirror"
    debootstrap --variant=minbase bookworm "$debian" "$mirror" >"$work/debootstrap.log" 2>&1 ||
        fail "debootstrap failed: $(tail -n 3 "$work/debootstrap.log")"
    # Swift reads its arguments from /proc.
    mount --types proc proc "$debian/proc"
    cp "$package" "$debian/tileserver.deb"
    in_debian apt-get -qq install --yes --no-install-recommends /tileserver.deb >"$work/install.log" 2>&1 ||
        fail "the package cannot be installed: $(tail -n 5 "$work/install.log")"
    [ "$(in_debian stat --format '%U %a' /var/lib/tileserver)" = "tileserver 700" ] || fail "/var/lib/tileserver is not the service's own"
    [ "$(in_debian stat --format '%U:%G %a' /etc/tileserver/tileserver.yaml)" = "root:tileserver 640" ] ||
        fail "others can read the configuration"
    in_debian tileserver check /etc/tileserver/tileserver.yaml >/dev/null || fail "the configuration has mistakes"
    serve_in_debian

    # The operator's configuration must survive an upgrade and a removal. A purge must remove everything.
    echo "# mine" >>"$debian/etc/tileserver/tileserver.yaml"
    in_debian apt-get -qq install --reinstall --yes /tileserver.deb >"$work/install.log" 2>&1 ||
        fail "the package cannot be installed again: $(tail -n 5 "$work/install.log")"
    tail -n 1 "$debian/etc/tileserver/tileserver.yaml" | grep -q "# mine" || fail "an upgrade took the configuration away"
    in_debian apt-get -qq remove --yes tileserver >"$work/install.log" 2>&1
    [ -f "$debian/etc/tileserver/tileserver.yaml" ] || fail "a removal took the configuration away"
    in_debian apt-get -qq purge --yes tileserver >"$work/install.log" 2>&1
    [ ! -e "$debian/etc/tileserver/tileserver.yaml" ] && [ ! -e "$debian/var/lib/tileserver" ] || fail "a purge left something"
    say "the package installs, serves as its own user, keeps its configuration, and goes"
}

# Runs the unit's command as the unit's user.
serve_in_debian() {
    local port url command status=0
    port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
    url=http://127.0.0.1:$port
    command=$(sed -n 's/^ExecStart=//p' "$debian/lib/systemd/system/tileserver.service")
    # The shell must split the command into words.
    # shellcheck disable=SC2086
    (cd / && exec chroot --userspec=tileserver:tileserver "$debian" /usr/bin/env --ignore-environment --chdir=/var/lib/tileserver \
        $command --port "$port") >"$work/server.log" 2>&1 &
    server=$!
    curl --silent --fail --retry 20 --retry-connrefused --retry-delay 1 "$url/ready" >/dev/null ||
        fail "the server did not start: $(cat "$work/server.log")"
    curl --silent --fail --output "$work/tile.png" "$url/demo/1/0/0.png" || fail "no tile at $url/demo/1/0/0.png"
    [ "$(head -c 8 "$work/tile.png" | od -An -tx1 | tr -d ' \n')" = 89504e470d0a1a0a ] || fail "the tile is no PNG"
    [ "$(in_debian stat --format '%U %a' /var/lib/tileserver/admin-token)" = "tileserver 600" ] || fail "the token is not the service's own"
    in_debian tileserver reload --config /etc/tileserver/tileserver.yaml --port "$port" >/dev/null || fail "the server does not reload"
    kill -TERM "$server"
    wait "$server" || status=$?
    server=
    [ "$status" -eq 0 ] || fail "SIGTERM ended the server with status $status: $(cat "$work/server.log")"
}

end_check() {
    [ -z "$server" ] || kill "$server" 2>/dev/null || true
    [ -z "$debian" ] || umount "$debian/proc" 2>/dev/null || true
}
