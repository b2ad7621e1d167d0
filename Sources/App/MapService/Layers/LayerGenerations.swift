import TileCache

/// The generation of each name: of the layers that are served, and of those that were and may come back.
struct LayerGenerations {
    private var known: [String: Generation] = [:]

    /// How many names that are not served are remembered, unless somebody says otherwise.
    static let mostUnserved = 4_096

    /// The generation of `name`; where that is not known, a new one, which starts at what `first` gives.
    mutating func generation(of name: String, startingAt first: (String) -> UInt32) -> Generation {
        if let generation = known[name] { return generation }
        let generation = Generation(startingAt: first(name))
        known[name] = generation
        return generation
    }

    /// Forgets names for which `isUnserved` holds, the oldest generations first, until `most` of these are left. A name that
    /// comes back after that starts at what the disk knows, or at the present second: later than it was, unless it was cleared
    /// more than once a second for as long as it was served.
    mutating func forgetOldest(butFor most: Int = mostUnserved, _ isUnserved: (String) -> Bool) {
        let unserved = known.filter { isUnserved($0.key) }
        guard unserved.count > most else { return }
        let oldestFirst = unserved.sorted { $0.value.current < $1.value.current }
        for (name, _) in oldestFirst.prefix(unserved.count - most) { known[name] = nil }
    }
}
