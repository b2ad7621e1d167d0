import TileCache

/// The generation of each layer, by the name of the layer. A clear of a whole layer raises its generation. The
/// generations of removed layers are kept for a while, because a layer with the same name can come back.
struct LayerGenerations {
    private var known: [String: Generation] = [:]

    /// Maximum number of remembered names of removed layers, unless the caller gives another number.
    static let mostUnserved = 4_096

    /// Returns the generation of `name`. An unknown name gets a new generation that starts at `first(name)`.
    mutating func generation(of name: String, startingAt first: (String) -> UInt32) -> Generation {
        if let generation = known[name] { return generation }
        let generation = Generation(startingAt: first(name))
        known[name] = generation
        return generation
    }

    /// Forgets names for which `isUnserved` returns true, the oldest generations first, until `most` such names remain.
    /// If a forgotten name comes back, its generation starts again, for example at the present second. The present
    /// second is higher than the forgotten generation, unless the layer was cleared more than once a second on average.
    mutating func forgetOldest(butFor most: Int = mostUnserved, _ isUnserved: (String) -> Bool) {
        let unserved = known.filter { isUnserved($0.key) }
        guard unserved.count > most else { return }
        let oldestFirst = unserved.sorted { $0.value.current < $1.value.current }
        for (name, _) in oldestFirst.prefix(unserved.count - most) { known[name] = nil }
    }
}
