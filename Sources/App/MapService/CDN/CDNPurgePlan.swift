import TileCache

/// Which tags reach all that was cleared. Pure.
enum CDNPurgePlan {
    /// A layer or a map of which something was cleared.
    struct Part: Sendable {
        let id: String
        /// How many zooms above the cleared tiles others were made of them, and below.
        let above: Int
        let below: Int
    }

    /// The tags of `area` of each of `parts`; nil: of everything. By the finest zooms with which they are not more than one request
    /// has, else those of whole layers.
    static func tags(of area: TileArea?, _ parts: [Part], tagger: (String) -> CDNTags?) -> [String] {
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
