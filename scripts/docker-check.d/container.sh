# shellcheck shell=bash
# Runs and tests the image. Expects $work and $image.

container=
container_root=
server=

# config_of template: prints a value of the image's configuration.
config_of() {
    in_store inspect --type image --format "$1" "$image"
}

# size_of directory: prints its size in MiB.
size_of() {
    du --summarize --block-size=1M "$1" | cut -f 1
}

image_size() {
    size_of "$container_root"
}

base_size() {
    local base mounted
    base=$(in_store from --pull-never "$debian_image")
    mounted=$(in_store mount "$base")
    size_of "$mounted"
    in_store rm "$base" >/dev/null
}

# in_container command ...: runs a command as compose.yaml does: as the image's user, with the image's environment, a
# read-only root and no capability. The command replaces the shell, so signals to the shell reach the command.
in_container() {
    local environment
    mapfile -t environment < <(config_of '{{range .Docker.Config.Env}}{{println .}}{{end}}' | grep .)
    exec unshare --mount env --ignore-environment root="$container_root" user="$(config_of '{{.Docker.Config.User}}')" \
        volume="$work/state" directory="$(config_of '{{.Docker.Config.WorkingDir}}')" /bin/bash -euc '
            mount --bind "$root" "$root"
            mount -o remount,bind,ro "$root"
            mount --bind "$volume" "$root/var/lib/tileserver"
            # Swift reads its arguments there.
            mount --types proc proc "$root/proc"
            exec chroot "$root" /usr/bin/setpriv --reuid="${user%:*}" --regid="${user#*:}" --clear-groups \
                --bounding-set=-all --inh-caps=-all --no-new-privs \
                /usr/bin/env --ignore-environment --chdir="$directory" "$@"' in_container "${environment[@]}" "$@"
}

run_container() {
    container=$(in_store from --pull-never "$image")
    container_root=$(in_store mount "$container")
    install -d -m 0700 -o 65532 -g 65532 "$work/state"
}

# start_container URL [NAME=VALUE ...] [-- argument ...]: runs the image's command with these variables and arguments.
# Waits until the server is ready.
start_container() {
    local url=$1 entry arguments variables=()
    shift
    while [ $# -gt 0 ] && [ "$1" != -- ]; do
        variables+=("$1")
        shift
    done
    [ $# -eq 0 ] || shift
    mapfile -t entry < <(config_of '{{range .Docker.Config.Entrypoint}}{{println .}}{{end}}' | grep .)
    mapfile -t arguments < <(config_of '{{range .Docker.Config.Cmd}}{{println .}}{{end}}' | grep .)
    say "running: ${variables[*]} ${entry[*]} ${arguments[*]} $*"
    (in_container "${variables[@]}" "${entry[@]}" "${arguments[@]}" "$@") >"$work/server.log" 2>&1 &
    server=$!
    curl --silent --fail --insecure --retry 20 --retry-connrefused --retry-delay 1 "$url/ready" >/dev/null ||
        fail "the server did not start: $(cat "$work/server.log")"
    [ "$(stat --format %u "/proc/$server")" = 65532 ] || fail "the server runs as $(stat --format %U "/proc/$server")"
    grep -qx 'CapBnd:	0000000000000000' "/proc/$server/status" || fail "the server has capabilities"
}

check_container() {
    local port url
    port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("", 0)); print(s.getsockname()[1])')
    url=http://127.0.0.1:$port
    start_container "$url" -- --port "$port"
    fetch_png "$url/checkerboard/1/0/0.png"
    curl --silent --fail --output /dev/null "$url/floors/15/$(sample_floor_tile).png" || fail "no tile of the layer floors"

    (in_container touch /srv/tileserver/written) 2>/dev/null && fail "the root can be written to"
    (in_container tileserver health --port "$port") || fail "the health check of a running server failed"
    (in_container tileserver clear checkerboard --port "$port") || fail "clearing a layer failed"
    stop_server
    (in_container tileserver health --port "$port") 2>/dev/null && fail "the health check of a stopped server succeeded"
    return 0
}

# Runs the image with HTTPS at the port that compose.yaml publishes as 443.
check_https_of_container() {
    local url=https://localhost:8443 state=/var/lib/tileserver settings
    openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=localhost \
        -addext subjectAltName=DNS:localhost -keyout "$work/state/key.pem" -out "$work/state/cert.pem" 2>/dev/null
    chown 65532:65532 "$work/state/key.pem"
    settings=("TILESERVER_HTTPS_CERTIFICATE=$state/cert.pem" "TILESERVER_HTTPS_KEY=$state/key.pem" TILESERVER_PORT=off
        TILESERVER_PUBLIC_URL=https://localhost)
    start_container "$url" "${settings[@]}"
    fetch_png "$url/checkerboard/1/0/0.png" --cacert "$work/state/cert.pem"
    curl --silent --fail --cacert "$work/state/cert.pem" "$url/checkerboard.json" |
        grep -qF '"https://localhost/checkerboard/{z}/{x}/{y}' || fail "the TileJSON does not name the published address"
    (in_container "${settings[@]}" tileserver health) || fail "the health check with HTTPS failed"
    stop_server
}

# Prints x/y of a tile at zoom 15 in the sample tree.
sample_floor_tile() {
    local files=(tiles/L1_15_*.png) place
    place=${files[0]#tiles/L1_15_}
    place=${place%.png}
    printf '%s/%s' "${place%_*}" "${place#*_}"
}

stop_container() {
    [ -z "$server" ] || kill "$server" 2>/dev/null || true
    [ -z "$container" ] || in_store rm "$container" >/dev/null
}
