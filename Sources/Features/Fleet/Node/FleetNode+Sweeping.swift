import RedisClient

/// Rows of layers that no node serves.
extension FleetNode {
    /// Tells Redis once an hour, and when layers are added, which layers this node serves. Then, some pages a round, has rows removed of
    /// layers that no node has served for a week.
    func sweep(_ now: Double) async {
        guard await nameLayers(now) else { return }
        for _ in 0..<Self.pagesOfRound {
            guard let page = state.withLock({ $0.sweep.page }) else { return }
            guard let next = await ask(.sweep(page: page, []))?.text.flatMap({ String(validating: $0, as: UTF8.self) })
            else { return }
            state.withLock { $0.sweep.page = next == "0" ? nil : next }
        }
    }

    /// Returns false if Redis does not know the layers of this node.
    private func nameLayers(_ now: Double) async -> Bool {
        let layers = state.withLock { state -> Set<String>? in
            let layers = Set(state.fleet.layers.keys)
            return now - state.sweep.time >= Self.sweepTime || !layers.isSubset(of: state.sweep.named) ? layers : nil
        }
        guard let layers else { return true }
        let names = layers.sorted()
        for start in stride(from: 0, to: names.count, by: FleetRequest.mostRows) {
            let part = names[start..<min(start + FleetRequest.mostRows, names.count)]
            guard await ask(.sweep(page: nil, Array(part))) != nil else { return false }
        }
        state.withLock { $0.sweep = Sweep(time: now, named: layers, page: "0") }
        return true
    }

    /// Pages of some 500 rows each.
    private static let pagesOfRound = 4
}
