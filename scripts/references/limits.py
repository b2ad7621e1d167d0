"""The fixed limits of docs/reference/limits.md, with the numbers of the sources."""
from . import pages, sources

PAGE = "docs/reference/limits.md"

NET, APP, SERVICE, TILES = "Net", "App/TileServer", "App/MapService", "Tiles"
FLEET, CDN = "Features/Fleet", "Features/CDN"
URL, MBTILES = f"{TILES}/TileSources/URL", f"{TILES}/TileSources/MBTiles"
GEOJSON, IMAGES = f"{TILES}/TileSources/GeoJSON", f"{SERVICE}/Images"

# (table, limit, unit, file below Sources, constant, beyond the limit). Bytes and seconds are written with their unit.
ROWS = [
    ("requests", "connections reserved for health and admin requests from this machine", "",
     f"{NET}/HTTPServer/OpenConnections.swift", "reserve", "the connection without a complete request is closed"),
    ("requests", "memory counted for a connection", "bytes",
     f"{NET}/HTTPServer/HTTPServer.swift", "connectionBytes", ""),
    ("requests", "additional memory of a connection if `server.https` is set", "bytes",
     f"{NET}/TLS/TLSSession.swift", "idleBytes", ""),
    ("requests", "additional memory of an incomplete TLS handshake", "bytes",
     f"{NET}/TLS/TLSSession.swift", "handshakeBytes", "the oldest incomplete handshake is closed"),
    ("requests", "further certificates of `server.https`", "",
     "App/Configuration/Settings/HTTPSSettings.swift", "mostCertificates", "an error of the configuration"),
    ("requests", "file of an ACME challenge", "bytes",
     f"{APP}/HTTPS/ChallengeResponder.swift", "mostBytes", "404 `unknown-route`"),
    ("requests", "sockets from a service manager", "",
     f"{APP}/Supervision/PassedSockets.swift", "most", "other sockets are not served"),
    ("requests", "host name in `Host` or `X-Forwarded-Host`", "bytes",
     f"{NET}/HTTPServer/Authority.swift", "longestHost", "400 `bad-request`, or the forwarded host is ignored"),
    ("requests", "prefix in `X-Forwarded-Prefix`", "bytes",
     f"{APP}/Documents/BaseURL.swift", "longestPrefix", "the prefix is ignored"),
    ("requests", "bytes that wait for an event listener", "bytes",
     f"{NET}/HTTPServer/ResponseStream.swift", "standardLimit", "the stream is disconnected after `writeStall`"),
    ("requests", "events kept for `Last-Event-ID`", "",
     f"{SERVICE}/Events/EventHistory.swift", "most", "a `reset` event"),
    ("requests", "changed layers and maps of one reload in `/events`", "",
     f"{SERVICE}/Events/EventHistory.swift", "mostChanges", "a `reset` event"),
    ("requests", "clients with a token bucket", "",
     f"{APP}/Limits/ClientTable.swift", "capacity", "the client seen least recently is forgotten"),
    ("requests", "admin requests a minute without the right token, per address", "",
     f"{APP}/Admin/FailedTokens.swift", "free", "429 `too-many-failures`"),
    ("requests", "codes of `tileserver open` at a time", "",
     f"{APP}/Admin/PageCodes.swift", "most", "the oldest code stops working"),
    ("requests", "age of such a code", "seconds",
     f"{APP}/Admin/PageCodes.swift", "lifetime", "401 `unauthorized`"),
    ("requests", "lines of an expire list", "",
     f"{TILES}/TileCache/TileSet.swift", "mostTiles", "413 `too-many-lines`"),
    ("requests", "bytes of an expire list", "bytes",
     f"{SERVICE}/Clearing/ExpireList.swift", "mostBytes", "413 `content-too-large`"),
    ("requests", "age of the numbers in `/metrics`", "seconds",
     f"{APP}/Metrics/MetricsPage.swift", "lifetime", "the numbers are read again"),
    ("upstream", "head of a response", "bytes",
     f"{NET}/HTTPClient/UpstreamRequest.swift", "head", "the fetch fails"),
    ("upstream", "body of a response, after its content coding is undone", "bytes",
     f"{NET}/HTTPClient/UpstreamRequest.swift", "body", "the fetch fails: event `upstream_too_large`"),
    ("upstream", "redirects of a fetch", "",
     f"{NET}/HTTPClient/UpstreamRequest.swift", "redirects", "the fetch fails"),
    ("upstream", "interim responses (1xx)", "",
     f"{NET}/HTTPClient/ResponseHead.swift", "interimLimit", "the fetch fails"),
    ("upstream", "`Retry-After` of an upstream", "seconds",
     f"{URL}/UpstreamAnswer.swift", "longestWait", "the longest pause that is obeyed"),
    ("upstream", "back-off of a tile after failures", "seconds",
     f"{TILES}/TileCache/Loading/Backoff.swift", "longest", "the back-off stays at this value"),
    ("upstream", "PEM file", "bytes",
     f"{NET}/TLS/CertificateFiles.swift", "mostBytes", "an error of the configuration"),
    ("upstream", "`headers` of a layer", "",
     f"{URL}/URLSource+Keys.swift", "mostHeaders", "an error of the configuration"),
    ("upstream", "time between two looks at a PEM file", "seconds",
     f"{URL}/ProfileFollowingFiles.swift", "interval", "the file is read again"),
    ("files", "tile of an MBTiles file", "bytes",
     f"{MBTILES}/MBTilesLayer.swift", "largestTile", "500 `tile-corrupt`"),
    ("files", "memory of one read of an MBTiles file", "bytes",
     f"{MBTILES}/MBTilesBudget.swift", "mostMemory", "the read fails"),
    ("files", "schema of an MBTiles file", "bytes",
     f"{MBTILES}/MBTilesBudget.swift", "mostKept", "the file is refused"),
    ("files", "wait for a lock of another program", "seconds",
     f"{MBTILES}/MBTilesConnection.swift", "longestLock", "503 `upstream-down`"),
    ("files", "GeoJSON file", "bytes",
     f"{GEOJSON}/GeoJSONError.swift", "largest", "an error of the configuration"),
    ("files", "points, lines and polygons of a GeoJSON file", "",
     f"{GEOJSON}/GeoJSONBuilder.swift", "most", "an error of the configuration"),
    ("images", "pixels a side of a tile in a response", "px",
     f"{SERVICE}/Renditions/TileMemory.swift", "largestSide", "400 `unsupported-scale`"),
    ("images", "pixels a side of a static image", "px",
     f"{IMAGES}/ImageSize.swift", "longestSide", "400 `bad-camera`"),
    ("images", "pixels of a static image", "px",
     f"{IMAGES}/ImageSize.swift", "mostPixels", "400 `bad-camera`"),
    ("images", "tiles of one layer in a static image", "",
     "Picture/MapRenderer/RenderPlan.swift", "tileLimit", "coarser tiles are drawn"),
    ("images", "markers", "",
     f"{APP}/Static/OverlayParameter.swift", "mostMarkers", "400 `bad-camera`"),
    ("images", "points of all paths", "",
     f"{APP}/Static/OverlayParameter.swift", "mostPoints", "400 `bad-camera`"),
    ("images", "frames of an animation", "",
     f"{IMAGES}/StaticFlight.swift", "mostFrames", "400 `bad-camera`"),
    ("images", "pixels of all frames", "px",
     f"{IMAGES}/StaticFlight.swift", "mostPixels", "400 `bad-camera`"),
    ("images", "wait of a static image for its turn", "seconds",
     f"{IMAGES}/StaticRenderer.swift", "longestWait", "503 `overloaded`"),
    ("images", "wait of an animation for its turn", "seconds",
     f"{IMAGES}/StaticRenderer.swift", "longestAnimationWait", "503 `overloaded`"),
    ("images", "updates in one camera request", "",
     f"{APP}/Camera/CameraBody.swift", "mostUpdates", "400 `bad-camera`"),
    ("memory", "wait of a tile for memory", "seconds",
     "Kit/Runtime/WorkQueue.swift", "longestWaitForMemory", "503, event `shed` with why=memory"),
    ("memory", "wait of a tile that needs more than a sixth of the memory for clients", "seconds",
     "Kit/Runtime/WorkQueue.swift", "longestWaitForLarge", "503, event `shed`"),
    ("memory", "`Retry-After` of an overloaded server", "seconds",
     "Kit/Runtime/WaitEstimate.swift", "longestRetry", "the value stays at this number"),
    ("memory", "line of the log", "bytes",
     "Kit/EventLog/LogFormat.swift", "lineLimit", "whole fields are left out"),
    ("fleet", "tile in Redis", "bytes",
     f"{FLEET}/Tiles/FleetValue.swift", "mostBytes", "the tile is not shared"),
    ("fleet", "batch of messages", "bytes",
     f"{FLEET}/Peers/FleetBatch.swift", "longest", "413"),
    ("fleet", "messages of a batch", "",
     f"{FLEET}/Peers/FleetBatch.swift", "mostMessages", "422 `bad-letter`"),
    ("fleet", "signed batches that are read at a time", "",
     f"{FLEET}/Peers/FleetReceiver.swift", "mostSigned", "503"),
    ("fleet", "signed batches of one address", "",
     f"{FLEET}/Peers/FleetReceiver.swift", "mostOfAddress", "503"),
    ("fleet", "batches with an unsigned head", "",
     f"{FLEET}/Peers/FleetReceiver.swift", "mostUnsigned", "503"),
    ("fleet", "layers and maps of a server", "",
     f"{FLEET}/Agreement/FleetFacts.swift", "mostLayers", "the server does not start"),
    ("cdn", "tags of a response", "",
     f"{CDN}/CDNTags.swift", "mostTags", "the finest zooms are left out first"),
    ("cdn", "bytes of these tags", "bytes",
     f"{CDN}/CDNTags.swift", "mostBytes", "the finest zooms are left out first"),
    ("cdn", "tags of one purge request", "",
     f"{CDN}/CDNPurgeState.swift", "mostTags", "the next request has the rest"),
    ("cdn", "tags that wait for a purge", "",
     f"{CDN}/CDNTagList.swift", "most", "tags of whole layers replace them"),
    ("cdn", "time between two attempts", "seconds",
     f"{CDN}/CDNPurger.swift", "longestWait", "the pause stays at this value"),
]


def tables(program, text):
    """Returns the tables of fixed limits."""
    made = {}
    for table, what, unit, path, name, beyond in ROWS:
        made.setdefault(f"fixed {table}", []).append([what, written(sources.number(path, name), unit), beyond])
    return {name: pages.markdown(["what", "limit", "beyond the limit"], rows) for name, rows in made.items()}


def written(number, unit):
    """Returns a number as people write it: `4 MiB`, `0.25 s`, `8,388,608`."""
    if unit == "bytes":
        for power, name in ((30, "GiB"), (20, "MiB"), (10, "KiB")):
            if number >= 1 << power and number % (1 << power) == 0:
                return f"{number >> power:,} {name}"
        return f"{number:,} B"
    if unit == "seconds":
        return f"{number:g} s"
    return f"{number:,}"
