import Bytes
import HTTPServer
import TileCache

/// What the cache says of an answer: `Cache-Status` (RFC 9211).
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
    enum Staleness: String {
        case error, offline
        case backOff = "back-off"
    }

    /// Why nobody was asked.
    enum Reason: String {
        /// It failed a moment ago.
        case backOff = "back-off"
        /// The source is left alone for now.
        case down
        case offline
        /// Too much is going on.
        case overloaded
    }

    /// The line that says so. The lines of a hit and of a stale tile of an offline layer need no allocation.
    @inline(__always)
    var line: FieldLine {
        switch self {
        case .hit(let ttl, let tier): .numbered("Cache-Status: tileserver; hit; ttl=", ttl, "; detail=", tier)
        case .stale(why: .offline): Self.staleOffline
        case .unsaid, .stale, .miss, .outside, .unasked: made
        }
    }

    /// Every stale tile of a server without sources has this line, so it is made once.
    private static let staleOffline = CacheStatus.stale(why: .offline).made

    private var made: FieldLine {
        text.map { .made(FieldLines.make([("Cache-Status", "tileserver; \($0)")])) } ?? .none
    }

    private var text: String? {
        switch self {
        case .unsaid, .hit: nil
        case .stale(let why): "fwd=stale; detail=\(why.rawValue)"
        case .miss(let fill):
            (fill.wasStale ? "fwd=stale" : "fwd=miss") + (fill.isRevalidated ? "; fwd-status=304" : "")
                + (fill.collapsed ? "; collapsed" : "") + (fill.stored ? "; stored" : "")
                + (fill.skippedStore ? "; detail=store-skipped" : "")
        case .outside: "detail=outside"
        case .unasked(let reason): "detail=\(reason.rawValue)"
        }
    }
}
