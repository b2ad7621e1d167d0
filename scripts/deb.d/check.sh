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
    say "the package installs, serves as its own user, also at ports 80 and 443, keeps its configuration, and goes"
}

# unit_of key: prints the value of this key of the unit.
unit_of() {
    sed -n "s/^$1=//p" "$debian/lib/systemd/system/tileserver.service"
}

# start_in_debian URL [argument ...]: runs the unit's command as the unit's user with the unit's capabilities. Waits until the
# server is ready.
start_in_debian() {
    local url=$1 capability
    shift
    capability=$(unit_of AmbientCapabilities | sed 's/^CAP_//' | tr '[:upper:]' '[:lower:]')
    # The shell must split the command into words.
    # shellcheck disable=SC2046
    (cd / && exec chroot "$debian" /usr/bin/env --ignore-environment --chdir=/var/lib/tileserver setpriv --reuid=tileserver \
        --regid=tileserver --init-groups --no-new-privs --bounding-set="-all,+$capability" --inh-caps="-all,+$capability" \
        --ambient-caps="-all,+$capability" $(unit_of ExecStart) "$@") >"$work/server.log" 2>&1 &
    server=$!
    curl --silent --fail --cacert "$work/cert.pem" --retry 20 --retry-connrefused --retry-delay 1 "$url/ready" >/dev/null ||
        fail "the server did not start: $(cat "$work/server.log")"
    [ "$(stat --format %u "/proc/$server")" = "$(in_debian id -u tileserver)" ] || fail "the server is not the user tileserver"
    grep -qx 'CapEff:	0000000000000400' "/proc/$server/status" || fail "the server has other capabilities than CAP_NET_BIND_SERVICE"
}

serve_in_debian() {
    local port configuration=/etc/tileserver/tileserver.yaml
    # shellcheck disable=SC2016
    in_debian bash -c '. /usr/share/bash-completion/completions/tileserver && complete -p tileserver' >/dev/null ||
        fail "bash does not complete the commands"
    make_certificate
    port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
    start_in_debian "http://127.0.0.1:$port" --port "$port"
    fetch_png "http://127.0.0.1:$port/demo/1/0/0.png"
    [ "$(in_debian stat --format '%U %a' /var/lib/tileserver/admin-token)" = "tileserver 600" ] || fail "the token is not the service's own"
    in_debian tileserver reload --config "$configuration" --port "$port" >/dev/null || fail "the server does not reload"
    stop_server

    # The operator's two steps for HTTPS: the files, and the line that the configuration has as a comment.
    cp "$debian$configuration" "$work/tileserver.yaml"
    install -D -m 0640 -t "$debian/etc/tileserver/tls" "$work/cert.pem" "$work/key.pem"
    in_debian chgrp -R tileserver /etc/tileserver/tls
    sed -i 's/^  # https:/  https:/; s/^  port: 8080/  port: 80/' "$debian$configuration"
    start_in_debian https://localhost
    fetch_png https://localhost/demo/1/0/0.png --cacert "$work/cert.pem"
    fetch_png http://localhost/demo/1/0/0.png
    in_debian tileserver health --config "$configuration" >/dev/null || fail "the health check fails with HTTPS"
    stop_server
    rm -r "$debian/etc/tileserver/tls"
    cat "$work/tileserver.yaml" >"$debian$configuration"
}

make_certificate() {
    openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=localhost \
        -addext subjectAltName=DNS:localhost,IP:127.0.0.1 -keyout "$work/key.pem" -out "$work/cert.pem" 2>/dev/null
}

end_check() {
    [ -z "$server" ] || kill "$server" 2>/dev/null || true
    [ -z "$debian" ] || umount "$debian/proc" 2>/dev/null || true
}
