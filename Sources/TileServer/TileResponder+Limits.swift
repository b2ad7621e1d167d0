import HTTPServer
import MapService
import TileCache

/// Misses of clients that may only have so many.
extension TileResponder {
    /// The way to a tile that memory does not have as `missing`, for a client who has `account`. Who has none left gets what
    /// another tier has.
    func reply(
        to tileRequest: TileRequest, missing: TileKey.Variant, _ kept: Conditions.Kept?, within account: ClientAccount,
        _ request: Request
    ) -> Reply {
        guard let wait = account.take(1, at: request.time) else {
            return reply(to: tileRequest, missing: missing, kept, request.time).settling(account)
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

extension Reply {
    /// The same, which gives back to `account` what was taken for it where it was no miss.
    fileprivate func settling(_ account: ClientAccount) -> Reply {
        switch self {
        case .ready(let response):
            if !response.caching.source.isMiss { account.giveBack(1) }
            return self
        case .stream: return self
        case .pending(let work):
            return .pending {
                let response = await work()
                // What was begun for a client that has left since is a miss all the same.
                if !response.caching.source.isMiss, !Task.isCancelled { account.giveBack(1) }
                return response
            }
        case .callback(let begin): return .callback { receive in begin { receive($0.settling(account)) } }
        }
    }
}

extension Caching.Source {
    /// The tile's source was asked, or the tile was made.
    fileprivate var isMiss: Bool {
        switch self {
        case .miss, .stale(.error): true
        case .unsaid, .hit, .stale(.backOff), .stale(.offline), .outside, .unasked: false
        }
    }
}
