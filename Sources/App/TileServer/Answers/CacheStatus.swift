import HTTPServer
import TileCache

/// The content of the header `Cache-Status` (RFC 9211), which tells how the cache handled a request.
enum CacheStatus: Sendable {
    /// No field: the response does not involve the cache.
    case unsaid
    /// A response from the cache. `ttl` is the number of seconds until it becomes stale, negative if it is stale
    /// already. `tier` is the name of the cache tier, as a token.
    case hit(ttl: Int, tier: StaticString)
    /// A stale response from the cache, because no newer one is available.
    case stale(why: Staleness)
    /// A response that was made for this request, or for another request that this request waited for.
    case miss(Loaded.Fill)
    /// The tile lies outside the layer, so the cache is not used.
    case outside
    /// Not in the cache, and the source was not asked.
    case unasked(Reason)

    /// The reason why a stale response is used.
    enum Staleness {
        case error, offline, backOff
    }

    /// The reason why the source was not asked.
    enum Reason {
        /// The tile failed a short time ago.
        case backOff
        /// The source gets no requests at the moment.
        case down
        case offline
        /// The server is overloaded.
        case overloaded
    }

    /// The header line, written without an allocation.
    @inline(__always)
    var line: FieldLine {
        switch self {
        case .unsaid: .none
        case .hit(let ttl, let tier): .numbered("Cache-Status: tileserver; hit; ttl=", ttl, "; detail=", tier)
        case .miss(let fill): Self.misses[fill.flags]
        case .stale(why: .error): Self.staleByError
        case .stale(why: .offline): Self.staleOffline
        case .stale(why: .backOff): Self.staleInBackOff
        case .outside: Self.isOutside
        case .unasked(.backOff): Self.inBackOff
        case .unasked(.down): Self.down
        case .unasked(.offline): Self.offline
        case .unasked(.overloaded): Self.overloaded
        }
    }

    /// The header lines of misses, indexed by the flags of a fill.
    private static let misses = (0..<32).map { flags in
        let says = { (flag: Int, text: String) in flags & flag != 0 ? text : "" }
        return kept(
            (flags & 1 != 0 ? "fwd=stale" : "fwd=miss") + says(2, "; fwd-status=304") + says(4, "; collapsed")
                + says(8, "; stored") + says(16, "; detail=store-skipped"))
    }

    private static let staleByError = kept("fwd=stale; detail=error")
    private static let staleOffline = kept("fwd=stale; detail=offline")
    private static let staleInBackOff = kept("fwd=stale; detail=back-off")
    private static let isOutside = kept("detail=outside")
    private static let inBackOff = kept("detail=back-off")
    private static let down = kept("detail=down")
    private static let offline = kept("detail=offline")
    private static let overloaded = kept("detail=overloaded")

    /// Returns the line for `text`. The line is never freed.
    private static func kept(_ text: String) -> FieldLine {
        let line = Array("Cache-Status: tileserver; \(text)\r\n".utf8)
        let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: line.count, alignment: 1)
        bytes.copyBytes(from: line)
        return .kept(UnsafeRawBufferPointer(bytes))
    }
}

extension Loaded.Fill {
    /// The parts of the line as bits.
    fileprivate var flags: Int {
        (wasStale ? 1 : 0) | (isRevalidated ? 2 : 0) | (collapsed ? 4 : 0) | (stored ? 8 : 0) | (skippedStore ? 16 : 0)
    }
}
