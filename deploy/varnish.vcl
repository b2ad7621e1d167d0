# Varnish in front of tileserver, with purges by tag. Needs varnish-modules (xkey). docs/guides/cdn.md describes the setup.
# `scripts/fleet varnish` runs this file.
#
# The matching configuration of the server:
#
#   cdn:
#     tags: [xkey]
#     zooms: [4, 8, 12]
#     maxAge: 30d
#     purge: { url: "http://127.0.0.1:6081/", method: PURGE, headers: { xkey-purge: "{tags}" } }

vcl 4.1;

import std;
import xkey;

backend default {
    .host = "127.0.0.1";
    .port = "8080";
}

# Addresses that may purge: the tile servers.
acl purgers {
    "127.0.0.1";
}

sub vcl_recv {
    if (req.method == "PURGE") {
        # Varnish appends the client's address to X-Forwarded-For. A comma means that another proxy has forwarded the request, perhaps
        # from this machine. Such a request may come from any client.
        if (client.ip !~ purgers || req.http.X-Forwarded-For ~ ",") {
            return (synth(403));
        }
        # xkey.softpurge would make the tiles stale instead, so Varnish could serve a stale tile while it fetches the new one.
        return (synth(200, "Purged " + xkey.purge(req.http.xkey-purge)));
    }
    # These routes are for the servers' own network only. A percent sign could hide their names, and no layer's name contains one.
    if (req.url ~ "^/+((admin|metrics|fleet/+messages)([/?]|$)|[^/?]*%)") {
        return (synth(404));
    }
    # The response to /events never ends, so it must not be cached.
    if (req.url ~ "^/events(\?|$)") {
        return (pipe);
    }
    # No response depends on cookies. With a cookie, Varnish would pass every request to the server.
    unset req.http.Cookie;
}

sub vcl_backend_response {
    # The server's lifetime for caches like this one (RFC 9213), minus the tile's age.
    if (beresp.http.CDN-Cache-Control ~ "max-age=[0-9]+") {
        set beresp.ttl = std.duration(regsub(beresp.http.CDN-Cache-Control, "^.*max-age=([0-9]+).*$", "\1s"), 0s) - beresp.age;
    }
}

sub vcl_deliver {
    # These fields are for this cache only, not for clients.
    unset resp.http.xkey;
    unset resp.http.CDN-Cache-Control;
}
