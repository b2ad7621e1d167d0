import RedisClient

/// Whether another process goes by this node's name: they would take each other for themselves.
extension FleetNode {
    /// What is known of it.
    struct Claim: Sendable {
        /// When the name was claimed last, by the monotonic clock.
        var time = -Double.infinity
        /// Claims in a row that found another process's, and that did not.
        var foreign = 0
        var own = 0
        var isShared = false
    }

    /// Claims in a row that must find another's: one is of the process that this one takes the place of.
    private static let mostForeign = 3
    /// Claims in a row that must find none of another's: two that claim at different paces find their own now and then.
    private static let mostOwn = 6

    /// Claims the name in Redis, once a second, and says when somebody else does, too.
    func claimName() async {
        let now = clock.monotonic()
        let isDue = state.withLock { state in
            guard now - state.claim.time >= Self.period * 0.9 else { return false }
            state.claim.time = now
            return true
        }
        guard isDue else { return }
        let words = ["\(options.prefix):n:\(options.node)", instance, "PX", "5000", "GET"]
        guard let reply = try? await redis.send(RedisCommand("SET", words.map { RedisArgument($0) })) else { return }
        let isForeign: Bool
        switch reply {
        case .bytes(let holder): isForeign = holder != Array(instance.utf8)
        case .null: isForeign = false
        // Not what this Redis does: nothing is known.
        default: return
        }
        let change = state.withLock { state -> Bool? in
            state.claim.foreign = isForeign ? state.claim.foreign + 1 : 0
            state.claim.own = isForeign ? 0 : state.claim.own + 1
            let isShared =
                state.claim.isShared ? state.claim.own < Self.mostOwn : state.claim.foreign >= Self.mostForeign
            guard isShared != state.claim.isShared else { return nil }
            state.claim.isShared = isShared
            return isShared
        }
        if let change { onEvent(.sameName(isOver: !change)) }
    }
}
