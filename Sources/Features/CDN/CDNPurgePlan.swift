import TileCache

/// Which tags reach all that was cleared. Pure.
package enum CDNPurgePlan {
    /// A layer or a map of which something was cleared.
    package struct Part: Sendable {
        let id: String
        /// How many zooms above the cleared tiles others were made of them, and below.
        let above: Int
        let below: Int
    }

    /// The parts of the `cleared` layers, and of the maps among `served` that draw one of these layers.
    package static func parts<Layer: CDNLayer>(_ cleared: [Layer], among served: [Layer]) -> [Part] {
        let these = Set(cleared.map { ObjectIdentifier($0) })
        let isCleared = { (layer: Layer) in these.contains(ObjectIdentifier(layer)) }
        // Tiles of a scale may be put together of four of the next zoom, in a map twice.
        let layers = cleared.map { Part(id: $0.id, above: 1, below: $0.overzoom) }
        let maps = served.filter { !isCleared($0) && $0.members.contains(where: isCleared) }
        return layers
            + maps.map { map in
                let below = map.members.filter(isCleared).map(\.overzoom).max() ?? 0
                return Part(id: map.id, above: 2, below: below + map.overzoom)
            }
    }

    /// The tags of `area` of each of `parts`; nil: of everything. By the finest zooms with which they are not more than one request
    /// has, else those of whole layers.
    package static func tags(of area: TileArea?, _ parts: [Part], tagger: (String) -> CDNTags?) -> [String] {
        // What is served no longer has only this.
        let plans = parts.map { ($0, tagger($0.id) ?? CDNTags(id: $0.id, members: [], zooms: [])) }
        if let area, area != .everything {
            for depth in stride(from: plans.map(\.1.zooms.count).max() ?? 0, to: 0, by: -1) {
                if let tags = tags(of: area, plans, depth: depth) { return tags }
            }
        }
        return plans.map(\.1.id)
    }

    /// Nil where they are too many.
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
