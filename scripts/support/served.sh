# shellcheck shell=bash
# A server that a check has started. Expects $work, and $server, the server's process. The log is $work/server.log.

# Stops the server, which must end with status 0.
stop_server() {
    local status=0
    kill -TERM "$server"
    wait "$server" || status=$?
    server=
    [ "$status" -eq 0 ] || fail "SIGTERM ended the server with status $status: $(cat "$work/server.log")"
}

# fetch_png URL [flag of curl ...]: fails unless the answer is a PNG.
fetch_png() {
    curl --silent --fail --output "$work/tile.png" "$@" || fail "no tile at $1"
    [ "$(head -c 8 "$work/tile.png" | od -An -tx1 | tr -d ' \n')" = 89504e470d0a1a0a ] || fail "the tile at $1 is no PNG"
}
