# Varnish in front of tileserver, purged by tags: `scripts/fleet varnish` runs this file. Needs varnish-modules (xkey).
#
# The server's configuration beside it:
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

# Who may purge: the tile servers.
acl purgers {
    "127.0.0.1";
}

sub vcl_recv {
    if (req.method == "PURGE") {
        # Varnish adds the client to X-Forwarded-For: a comma there means that another proxy, which may be on this machine, passes on
        # what somebody else asks for.
        if (client.ip !~ purgers || req.http.X-Forwarded-For ~ ",") {
            return (synth(403));
        }
        # Stale rather than gone, so that a tile is served while it is fetched: xkey.softpurge.
        return (synth(200, "Purged " + xkey.purge(req.http.xkey-purge)));
    }
    # These are for whoever is within the servers' network. No name of a layer has a percent sign, by which they could be written too.
    if (req.url ~ "^/+((admin|metrics|fleet/+messages)([/?]|$)|[^/?]*%)") {
        return (synth(404));
    }
    # An answer without an end.
    if (req.url ~ "^/events(\?|$)") {
        return (pipe);
    }
    # No answer depends on them, and Varnish would ask the server each time.
    unset req.http.Cookie;
}

sub vcl_backend_response {
    # What the server says to caches like this one (RFC 9213); its Age counts.
    if (beresp.http.CDN-Cache-Control ~ "max-age=[0-9]+") {
        set beresp.ttl = std.duration(regsub(beresp.http.CDN-Cache-Control, "^.*max-age=([0-9]+).*$", "\1s"), 0s) - beresp.age;
    }
}

sub vcl_deliver {
    # Between the server and this cache only.
    unset resp.http.xkey;
    unset resp.http.CDN-Cache-Control;
}
