/// The inputs that change the state of a node, and the effects that follow.
extension FleetState {
    /// An event that changes the state of a node. `now` is a time of the monotonic clock, and `date` is a time in
    /// seconds since 1970.
    package enum Input: Sendable {
        /// The layers that this server serves now.
        case served([String: (generation: UInt32, isProvisional: Bool)])
        /// The generations of the layers after the start of this server. Only the first input of this kind has an
        /// effect.
        case restarted([String: UInt32])

        /// A clear of the layers begins at this node.
        case beganClear([String])
        /// The clear is in force. The layers of `alone` took these generations without numbers of Redis.
        case endedClear([String], alone: [String: UInt32])
        /// Redis has numbered clears of this node.
        case numbered(Numbers, date: Int)
        /// This node has cleared the layers without numbers.
        case clearedAlone([String: UInt32])
        /// Redis has given a purge of this node an id.
        case purged(String, WaitingPurge, StreamID, date: Int)
        /// Redis has given an id to a purge that waited for one.
        case purgedLater(String, WaitingPurge, StreamID, date: Int)
        /// A purge of this node got no id.
        case purgedAlone(String, WaitingPurge)
        /// A peer has sent messages.
        case received([FleetMessage], date: Int)

        /// A round begins. `checked`: number of rows to compare although no message reports a difference.
        case beganRound(checked: Int, now: Double)
        /// Redis has answered the merge.
        case merged(FleetMerge, now: Double, date: Int)
        /// The actions of the last answer are in force. `hasMore`: Redis has more messages.
        case inForce(hasMore: Bool)
        /// Redis answered, but the answer is of no use for this reason. Nil forgets the reason at the start of a round.
        case refused(String?)
        /// The merges of a round have ended. `isGood`: Redis gave valid answers, and the exchange is complete.
        case talked(isGood: Bool, now: Double, date: Int)
        /// The round ends.
        case endedRound(isGood: Bool, now: Double)

        /// It may be time to claim the node's name, which happens once a second.
        case claims(now: Double)
        /// Redis has answered the claim. `isForeign`: another process has the name.
        case claimed(isForeign: Bool)
        /// It may be time to tell Redis the layers of this node, which happens once an hour, and after layers were
        /// added.
        case sweeps(now: Double)
        /// Redis knows the layers of this node.
        case swept(Set<String>, now: Double)
        /// The next page of rows to look through. Nil: no more pages until Redis is told the layers again.
        case turned(page: String?)

        /// The current peers of the caller.
        case peers([FleetPeer], now: Double)
        /// It may be time to ask uncertain peers for their names.
        case meets(now: Double)
        /// The node of this name has answered.
        case heard(String, now: Double)

        /// A clear or purge of this node that waits for other nodes.
        case made(Outstanding)
        /// The node of this name has taken the outstanding messages of these numbers.
        case reached(String, Set<Int>)
        /// All nodes have the outstanding messages of this number.
        case settled(Int)
        /// A repetition of outstanding messages has ended.
        case repeated
    }

    /// Work that the node must do after an input.
    package enum Effect: Sendable {
        /// Performs the actions after all earlier actions. An empty list only waits for the earlier actions.
        case act([Action])
        /// Asks Redis to merge.
        case merge(FleetRequest)
        case claim
        /// Tells Redis which layers this node serves.
        case tell([String])
        case log(FleetEvent)
        /// `doubt` and `share` call the functions of `FleetLocal` with these names.
        case doubt(olderThan: Double?)
        case share(among: Int)
        /// Asks the peers at these URLs for their names.
        case meet(Set<String>)
        case send([Outstanding])
    }

    /// Applies `input` to the state. Returns effects, which the node must perform in this order. Only this function
    /// changes the state of a node. The parameter `node` has the node's options.
    package mutating func step(_ input: Input, of node: FleetNode.Options) -> [Effect] {
        switch input {
        case .served(let layers): serve(layers)
        case .restarted(let generations): return [.act(catchUp(with: generations))]
        case .beganClear(let layers): for layer in layers { busy[layer, default: 0] += 1 }
        case .endedClear(let layers, let alone):
            for layer in layers { busy[layer] = busy[layer].flatMap { $0 > 1 ? $0 - 1 : nil } }
            for (layer, generation) in alone { clearedAlone(layer, generation: generation) }
        case .numbered(let numbers, let date): return [.act(cleared(numbers, now: date))]
        case .clearedAlone(let generations):
            for (layer, generation) in generations { clearedAlone(layer, generation: generation) }
        case .purged(let layer, let purge, let id, let date): purged(layer, purge, id, now: date)
        case .purgedLater(let layer, let purge, let id, let date):
            note(id, of: "\(purge.name).\(layer)")
            numbered(layer, purge, id, now: date)
        case .purgedAlone(let layer, let purge): return purgedAlone(layer, purge) ? [.act([.advance(layer)])] : []
        case .received(let messages, let date):
            let others = messages.filter { !$0.name.hasPrefix("\(node.instance)-") }
            return [.act(others.flatMap { received($0, now: date) })]
        case .beganRound(let checked, let now): return beginRound(checked: checked, now, of: node)
        case .merged(let answer, let now, let date): return [.act(merged(answer, now, date: date, of: node))]
        case .inForce(let hasMore): return advanceRound(hasMore: hasMore, of: node)
        case .refused(let why): refusal = why
        case .talked(let isGood, let now, let date):
            isHeard = isGood
            if isGood { (mergeTime, mergeDate) = (now, date) }
        case .endedRound(let isGood, let now):
            return judgeRefusal(isGood) + judgeLease(node.lease, now) + shareOut(isGood) + repeatMessages(now)
        case .claims(let now): return claims(now)
        case .claimed(let isForeign): return claimed(isForeign)
        case .sweeps(let now): return sweeps(now)
        case .swept(let layers, let now): sweep = Sweep(time: now, named: layers, page: "0")
        case .turned(let page): sweep.page = page
        case .peers(let peers, let now): take(peers, now, of: node)
        case .meets(let now): return meets(now)
        case .heard(let name, let now): if name != node.node { heard[name] = now }
        case .made(let item):
            if outstanding.count >= Self.mostOutstanding { outstanding.removeFirst() }
            outstanding.append(item)
        case .reached(let name, let numbers): change(numbers) { $0.reached.insert(name) }
        case .settled(let number): outstanding.removeAll { $0.number == number }
        case .repeated: sending -= 1
        }
        return []
    }

}

extension [FleetState.Effect] {
    /// The actions of all effects.
    package var actions: [FleetState.Action] {
        flatMap { if case .act(let actions) = $0 { actions } else { [FleetState.Action]() } }
    }
}

/// The parts of a round that concern errors of Redis, the lease, the share of upstream requests, and the name and the
/// layers of this node.
extension FleetState {
    /// The progress of this node with `FleetRequest.sweep`.
    struct Sweep: Sendable {
        /// The time at which Redis was last told the served layers, by the monotonic clock. `named` has their names.
        var time = -Double.infinity
        var named: Set<String> = []
        /// The next page of rows to look through. Nil: no more pages until Redis is told the layers again.
        var page: String?
    }

    /// The claim of this node to its name in Redis. The claim detects another process with the same name: each process
    /// would take messages of the other for its own.
    struct Claim: Sendable {
        /// The time of the last claim, by the monotonic clock.
        var time = -Double.infinity
        /// `foreign` counts claims in a row that found another process. `own` counts claims in a row that found none.
        var foreign = 0
        var own = 0
        var isShared = false
    }

    /// Number of claims in a row that must find another process before the name counts as shared. One claim may find
    /// the old process that this process replaces.
    private static let mostForeign = 3
    /// Number of claims in a row that must find no other process before the name counts as free. Two processes that
    /// claim at different paces sometimes find their own claim.
    private static let mostOwn = 6
    /// Seconds after which this node tells Redis its layers again.
    private static let sweepTime = 3_600.0
    /// A node counts for the share of upstream requests if it had asked Redis in the `presence` seconds before this
    /// node's last merge.
    private static let presence = 10.0

    /// Claims the name once a second.
    mutating func claims(_ now: Double) -> [Effect] {
        guard now - claim.time >= FleetNode.period * 0.9 else { return [] }
        claim.time = now
        return [.claim]
    }

    mutating func claimed(_ isForeign: Bool) -> [Effect] {
        claim.foreign = isForeign ? claim.foreign + 1 : 0
        claim.own = isForeign ? 0 : claim.own + 1
        let isShared = claim.isShared ? claim.own < Self.mostOwn : claim.foreign >= Self.mostForeign
        guard isShared != claim.isShared else { return [] }
        claim.isShared = isShared
        return [.log(.sameName(isOver: !isShared))]
    }

    /// Returns an effect that tells Redis the layers of this node: once an hour, and when layers were added.
    func sweeps(_ now: Double) -> [Effect] {
        let isDue = now - sweep.time >= Self.sweepTime || layers.keys.contains { !sweep.named.contains($0) }
        return isDue ? [.tell(layers.keys.sorted())] : []
    }

    /// Logs once that Redis answers with errors, and once that Redis works again.
    mutating func judgeRefusal(_ isGood: Bool) -> [Effect] {
        if isGood, isRefused {
            isRefused = false
            return [.log(.refused(why: nil))]
        }
        guard !isGood, !isRefused, let refusal else { return [] }
        isRefused = true
        return [.log(.refused(why: refusal))]
    }

    /// Judges whether the lease has ended. After `lease` seconds without a complete round, other nodes may have cleared
    /// tiles that this node still has.
    mutating func judgeLease(_ lease: Double, _ now: Double) -> [Effect] {
        let lag = now - mergeTime
        let wasInLease = isInLease
        isInLease = lag > lease
        // Returned even without a change: `FleetNode.start` may have begun a doubt that must end now.
        let doubt = Effect.doubt(olderThan: isInLease ? lease : nil)
        guard isInLease != wasInLease else { return [doubt] }
        return [doubt, .log(.lease(isOver: !isInLease, seconds: Int(min(max(lag, 0), 1e9))))]
    }

    /// Divides the allowed upstream requests among the nodes while Redis is away. Without Redis each node fetches tiles
    /// that other nodes already have. Together the nodes must not send more requests than before.
    mutating func shareOut(_ isHeard: Bool) -> [Effect] {
        let found = isHeard ? 1 : nodes.count { $0.age < Self.presence } + 1
        guard found != servers else { return [] }
        servers = found
        return [.share(among: found)]
    }
}
