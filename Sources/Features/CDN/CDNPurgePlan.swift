import TileCache

/// Finds the tags to purge after a clear. The tags cover all cleared tiles, and all tiles that were made from them.
package enum CDNPurgePlan {
    /// A layer or map of which something was cleared.
    package struct Part: Sendable {
        let id: String
        /// Number of zooms above the cleared tiles in which tiles were made from them. `below` is the number of zooms
        /// below.
        let above: Int
        let below: Int
    }

    /// Returns a part for each layer of `cleared`. A map shows tiles of several layers, so each map of `served` that
    /// draws a cleared layer and is not cleared itself gets a part too.
    package static func parts<Layer: CDNLayer>(_ cleared: [Layer], among served: [Layer]) -> [Part] {
        let these = Set(cleared.map { ObjectIdentifier($0) })
        let isCleared = { (layer: Layer) in these.contains(ObjectIdentifier(layer)) }
        // A tile may be made from four tiles of the next zoom. In a map this may happen twice.
        let layers = cleared.map { Part(id: $0.id, above: 1, below: $0.overzoom) }
        let maps = served.filter { !isCleared($0) && $0.members.contains(where: isCleared) }
        return layers
            + maps.map { map in
                let below = map.members.filter(isCleared).map(\.overzoom).max() ?? 0
                return Part(id: map.id, above: 2, below: below + map.overzoom)
            }
    }

    /// Returns the tags of `area` in each of `parts`. Nil stands for all tiles. Uses the finest zooms with at most
    /// `CDNPurgeState.mostTags` tags. If no zoom fits, returns the tags of whole layers.
    package static func tags(of area: TileArea?, _ parts: [Part], tagger: (String) -> CDNTags?) -> [String] {
        // A layer that is no longer served has only its own tag.
        let plans = parts.map { ($0, tagger($0.id) ?? CDNTags(id: $0.id, members: [], zooms: [])) }
        if let area, area != .everything {
            for depth in stride(from: plans.map(\.1.zooms.count).max() ?? 0, to: 0, by: -1) {
                if let tags = tags(of: area, plans, depth: depth) { return tags }
            }
        }
        return plans.map(\.1.id)
    }

    /// Returns nil if there are too many tags.
    private static func tags(of area: TileArea, _ plans: [(Part, CDNTags)], depth: Int) -> [String]? {
        var tags: [String] = []
        for (part, plan) in plans {
            let left = CDNPurgeState.mostTags - tags.count
            let more = plan.tags(of: area, above: part.above, below: part.below, depth: depth, atMost: left)
            guard let more else { return nil }
            tags += more
        }
        return tags
    }
}
