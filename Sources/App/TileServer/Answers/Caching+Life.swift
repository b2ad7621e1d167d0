import HTTPServer
import Tiles

extension Caching.Control {
    /// Maximum seconds for which a stale tile or a substitute is fresh for a client.
    static let staleMaxAge = 60

    /// Makes the `Cache-Control` header of a tile. The tile is `age` seconds old and stays fresh for `left` more
    /// seconds. For a client, the tile is fresh for at most `maxAge` more seconds, and never longer than the source
    /// allows.
    ///
    /// `max-age` counts from the creation of the tile, like `Age` (RFC 9111 4.2). For this reason, `age` is part of
    /// `max-age`. The `max-age` of a stale tile is at most one minute. A stale tile that is older than a minute must
    /// therefore be revalidated before each use.
    init(_ life: TileLife, age: Int, left: Int, atMost maxAge: Int = .max, isStale: Bool = false) {
        let most = life.clients.lifetime.map { Int($0) } ?? .max
        let rules = life.clients.rules
        let mustRevalidate = rules.contains(.mustRevalidate)
        guard !isStale else {
            self = .lifetime(maxAge: min(Self.staleMaxAge, maxAge, most), mustRevalidate: mustRevalidate)
            return
        }
        self = .lifetime(
            maxAge: min(age + min(maxAge, left), most),
            staleWhileRevalidate: rules.contains(.withoutStaleWhileRevalidate) ? 0 : life.staleWhileRevalidate,
            staleIfError: rules.contains(.withoutStaleIfError) ? 0 : life.staleIfError,
            mustRevalidate: mustRevalidate)
    }
}

extension Caching {
    /// Returns the `max-age` of `CDN-Cache-Control` (RFC 9213) for a fresh response that is `age` seconds old. A
    /// response that only a clear can change may be kept for `longest` more seconds. If the source or a stale part
    /// gives the response a lifetime, the CDN's copy expires no later than the copy here. The source's limit for
    /// clients applies too. Returns 0 if the field is not sent, and caches in front of the server follow
    /// `Cache-Control`.
    static func sharedMaxAge(_ life: TileLife, age: Int, atMost longest: Int) -> Int {
        // A response that clients must revalidate before each use must be revalidated in the CDN too.
        guard longest > 0, !life.clients.rules.contains(.mustRevalidate) else { return 0 }
        var end = age + longest
        if life.stated != nil { end = min(end, Int(life.lifetime)) }
        if let most = life.clients.lifetime { end = min(end, Int(most)) }
        return end > age ? end : 0
    }
}
