import HTTPServer
import Tiles

extension Caching.Control {
    /// The most that a client may keep what stands for something better, in seconds.
    static let staleMaxAge = 60

    /// What a client is told of something that is `age` seconds old and fresh for another `left`; it may keep it for
    /// `maxAge` at most.
    ///
    /// `max-age` counts from when the source made the tile, as `Age` does, so the difference of the two is what the client
    /// may keep it for (RFC 9111 4.2): never more than the source allows. A stale tile says a minute at most, counted in the
    /// same way: one that is older than that is to be asked for again before each use.
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
    /// What `CDN-Cache-Control` says (RFC 9213) of something fresh that is `age` seconds old: that it may be kept for `longest` seconds
    /// from now on, where nothing but a clear changes it. What has a life of its own, by its source or because it is made of stale tiles,
    /// ends there as it does here. 0: nothing, so that caches in front go by `Cache-Control`.
    static func sharedMaxAge(_ life: TileLife, age: Int, atMost longest: Int) -> Int {
        // What must be asked about before each use must be so there too.
        guard longest > 0, !life.clients.rules.contains(.mustRevalidate) else { return 0 }
        var end = age + longest
        if life.stated != nil { end = min(end, Int(life.lifetime)) }
        if let most = life.clients.lifetime { end = min(end, Int(most)) }
        return end > age ? end : 0
    }
}
