import RedisClient

/// Rows of layers that no node serves.
extension FleetNode {
    /// Tells Redis once an hour, and when layers are added, which layers this node serves, and removes rows of layers that no node has
    /// served for a week. What Redis does not answer is asked again after an hour.
    func sweep(_ now: Double) async {
        let layers = state.withLock { state -> Set<String>? in
            let layers = Set(state.fleet.layers.keys)
            guard now - state.swept >= Self.sweepTime || !layers.isSubset(of: state.named) else { return nil }
            (state.swept, state.named) = (now, layers)
            return layers
        }
        guard let layers else { return }
        let names = layers.sorted()
        for start in stride(from: 0, to: names.count, by: FleetRequest.mostRows) {
            let part = names[start..<min(start + FleetRequest.mostRows, names.count)]
            guard await ask(.sweep(page: nil, Array(part))) != nil else { return }
        }
        var page = "0"
        for _ in 0..<Self.mostPages {
            guard let next = await ask(.sweep(page: page, []))?.text.flatMap({ String(validating: $0, as: UTF8.self) })
            else { return }
            if next == "0" { return }
            page = next
        }
    }

    /// The most pages of one hour, each of about 500 rows.
    private static let mostPages = 1_000
}
