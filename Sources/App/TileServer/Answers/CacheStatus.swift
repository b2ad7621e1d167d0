import HTTPServer
import TileCache

/// The field `Cache-Status` of an answer (RFC 9211).
enum CacheStatus: Sendable {
    /// Nothing: the answer has nothing to do with the cache.
    case unsaid
    /// From the cache; `ttl` seconds of freshness are left, or it has been stale for so long where that is negative.
    /// `tier` is where it lay, as a token.
    case hit(ttl: Int, tier: StaticString)
    /// From the cache, stale, because nothing newer could be had.
    case stale(why: Staleness)
    /// Made for this request, or for another one that this request waited for.
    case miss(Loaded.Fill)
    /// Known without a look into the cache: the place lies outside what the resource covers.
    case outside
    /// Not in the cache, and not asked for.
    case unasked(Reason)

    /// Why a stale answer had to do.
    enum Staleness {
        case error, offline, backOff
    }

    /// Why nobody was asked.
    enum Reason {
        /// It failed a moment ago.
        case backOff
        /// The source is left alone for now.
        case down
        case offline
        /// Too much is going on.
        case overloaded
    }

    /// The line that says so, written without an allocation.
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

    /// By the flags of a fill.
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

    /// The line for `text`, which is never freed.
    private static func kept(_ text: String) -> FieldLine {
        let line = Array("Cache-Status: tileserver; \(text)\r\n".utf8)
        let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: line.count, alignment: 1)
        bytes.copyBytes(from: line)
        return .kept(UnsafeRawBufferPointer(bytes))
    }
}

extension Loaded.Fill {
    /// A bit for each part of the line.
    fileprivate var flags: Int {
        (wasStale ? 1 : 0) | (isRevalidated ? 2 : 0) | (collapsed ? 4 : 0) | (stored ? 8 : 0) | (skippedStore ? 16 : 0)
    }
}
