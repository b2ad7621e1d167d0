import HTTPServer
import MapService
import TileCache
import Tiles

/// Misses of clients that may only have so many.
extension TileResponder {
    /// The way to a tile that memory does not have as `missing`, for a client who has `account`. Who has none left gets what
    /// another tier has.
    func reply(
        to tileRequest: TileRequest, missing: TileKey.Variant, _ kept: Conditions.Kept?, within account: ClientAccount,
        _ request: Request
    ) -> Reply {
        guard let wait = account.take(1, at: request.time) else {
            return reply(to: tileRequest, missing: missing, kept, request.time, account)
        }
        let fields = request.logFields
        let refused = { @Sendable in account.refusal(wait: wait, fields).tagged(tileRequest.layer) }
        guard loader.isStored(tileRequest.layer.source(of: missing)) else { return .ready(refused()) }
        let began = request.time
        return .pending {
            guard let found = await loader.kept(tileRequest.lookup, missing: missing) else { return refused() }
            return response(to: tileRequest, found, kept, began)
        }
    }
}

extension Loaded {
    /// The tile's source was asked, or the tile was made.
    var isMiss: Bool {
        switch self {
        case .found, .stale(_, .failed): true
        case .unavailable(let reason, _): !reason.isUnasked
        case .present, .stale(_, .revalidating), .stale(_, .backingOff), .stale(_, .offline): false
        }
    }
}
