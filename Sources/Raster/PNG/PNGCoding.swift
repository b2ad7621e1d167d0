import CLibPNG

/// How rows are filtered (PNG 9) and compressed.
struct PNGCoding: Hashable {
    enum Filter: Hashable {
        case none, sub, up, average, paeth
        /// For each row the one with the smallest differences (PNG 12.7).
        case adaptive

        /// `CLIBPNG_FILTER_…`
        var mask: Int32 {
            let mask =
                switch self {
                case .none: CLIBPNG_FILTER_NONE
                case .sub: CLIBPNG_FILTER_SUB
                case .up: CLIBPNG_FILTER_UP
                case .average: CLIBPNG_FILTER_AVERAGE
                case .paeth: CLIBPNG_FILTER_PAETH
                case .adaptive: CLIBPNG_FILTER_ADAPTIVE
                }
            return Int32(mask)
        }
    }

    /// What zlib looks for besides frequent bytes.
    enum Repeats: Hashable {
        /// Any, so thoroughly: zlib's levels 1…9.
        case any(level: Int32)
        /// Runs of one byte only: quick, and better than `any` for noise and for flat areas.
        case runs
        /// Any, and always the longest that begins at a byte.
        case first(Search)
        /// Any, unless a longer one begins a byte later.
        case best(Search)
    }

    /// How zlib looks for a repeat: what `deflateTune` takes, in bytes, and the most places to look at.
    struct Search: Hashable {
        /// From so many bytes on it looks at a quarter of the places.
        let good: Int32
        /// `best`: from so many on it does not look whether the next byte begins a longer one. `first`: the places within
        /// longer ones are not remembered.
        let lazy: Int32
        /// So many are enough.
        let nice: Int32
        let chain: Int32
    }

    let filter: Filter
    let repeats: Repeats

    init(_ filter: Filter, _ repeats: Repeats) {
        self.filter = filter
        self.repeats = repeats
    }

    func apply(to description: inout clibpng_description) {
        description.filters = filter.mask
        description.memory = 8
        switch repeats {
        case .any(let level): (description.level, description.strategy) = (level, Int32(CLIBPNG_STRATEGY_DEFAULT))
        case .runs: (description.level, description.strategy) = (1, Int32(CLIBPNG_STRATEGY_RLE))
        // From level 4 on zlib looks beyond the first repeat.
        case .first(let search): (description.level, description.search) = (3, clibpng_search(search))
        case .best(let search): (description.level, description.search) = (5, clibpng_search(search))
        }
    }
}

extension clibpng_search {
    fileprivate init(_ search: PNGCoding.Search) {
        self.init(good: search.good, lazy: search.lazy, nice: search.nice, chain: search.chain)
    }
}
