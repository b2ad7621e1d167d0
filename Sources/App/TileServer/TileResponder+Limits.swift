import HTTPServer
import MapService
import TileCache
import Tiles

/// Limits how many cache misses each client may cause.
extension TileResponder {
    /// Makes the reply for a tile whose variant `missing` is not fresh in memory, and takes one miss from the client's
    /// `account`. If the account is empty, the client gets the tile from another cache tier if possible, otherwise the
    /// status 429.
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
    /// True if the source was asked for the tile, or the tile was made.
    var isMiss: Bool {
        switch self {
        case .found, .stale(_, .failed): true
        case .unavailable(let reason, _): !reason.isUnasked
        case .present, .stale(_, .revalidating), .stale(_, .backingOff), .stale(_, .offline): false
        }
    }
}
