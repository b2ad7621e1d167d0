import Synchronization

@testable import TileCache

/// A gate that returns turns when the schedule decides, and counts returned passes.
final class ScheduledGate: FillGate {
    struct Visit: Sendable {
        let key: StoreKey
        let request: FillRequest
        let time: Int
    }

    let visits = HeldCalls<Visit, FillTurn>()
    private let ledger: ScheduleLedger
    /// The tier that the gate looks into, or nil.
    private let tier: FakeStore?
    private let isBackingOff = Mutex<@Sendable (StoreKey) -> Bool>({ _ in false })

    init(_ ledger: ScheduleLedger, lookingInto tier: FakeStore?) {
        self.ledger = ledger
        self.tier = tier
    }

    func enter(_ key: StoreKey, _ request: FillRequest) async -> FillTurn {
        if isBackingOff.withLock({ $0 })(key) { ledger.breaks("the gate is not entered for a tile that is held back") }
        return await visits.wait(Visit(key: key, request: request, time: ledger.tick()), cancelled: .fetch(nil))
    }

    func follow(_ loader: TileLoader, _ source: CachedLayer) {
        isBackingOff.withLock { state in
            state = { [weak loader, number = source.number] key in
                let key = TileKey(
                    layer: number, generation: key.generation, coordinate: key.coordinate, scale: key.scale)
                return loader?.retryAfter(key) != nil
            }
        }
    }

    func looks(into tier: any TileStore) -> Bool { self.tier.map { tier as? FakeStore === $0 } ?? false }

    /// Makes a pass and records it.
    func pass() -> FillPass {
        let pass = FillPass(token: UInt64(ledger.tick()))
        ledger.with { $0.passes[pass.token] = 0 }
        return pass
    }

    func leave(_ key: StoreKey, with pass: FillPass, isKept: Bool) {
        ledger.saw(isKept ? "left: kept" : "left: not kept")
        ledger.with { state in
            guard let count = state.passes[pass.token] else { return state.broken.append("the gate knows its passes") }
            state.passes[pass.token] = count + 1
            if count > 0 { state.broken.append("the gate is left once with a pass") }
            let isThere = state.fetches.contains { fetch in
                fetch.key.coordinate == key.coordinate && fetch.key.generation == key.generation
                    && fetch.result?.isKept == true
            }
            if isKept, !isThere { state.broken.append("others hear of a tile after it is there") }
        }
    }
}
