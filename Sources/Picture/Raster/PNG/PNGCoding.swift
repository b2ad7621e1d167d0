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
        /// Runs of one byte only: quick, and better than `any` for flat areas.
        case runs
        /// Nothing: quicker still.
        case nothing
        /// Any, and always the longest that begins at a byte.
        case first(Search)
    }

    /// How zlib looks for a repeat: what `deflateTune` takes, in bytes, and the most places to look at.
    struct Search: Hashable {
        /// From so many bytes on it looks at a quarter of the places.
        let good: Int32
        /// The places within longer ones are not remembered.
        let lazy: Int32
        /// So many are enough.
        let nice: Int32
        let chain: Int32
        /// It looks so many bytes back, as a power of two, 9…15: less is quicker, since it stays in the processor's cache.
        let window: Int32
        /// zlib's `memLevel`, 1…9: the table of places that it looks at has 2 to the power of 7 more entries. All are moved on,
        /// one by one, each time that a window is full, so that fewer are quicker; too few take different places for one.
        let memory: Int32
    }

    let filter: Filter
    let repeats: Repeats

    init(_ filter: Filter, _ repeats: Repeats) {
        self.filter = filter
        self.repeats = repeats
    }

    func apply(to description: inout clibpng_description) {
        description.filters = filter.mask
        (description.window, description.memory) = (15, 8)
        switch repeats {
        case .any(let level): (description.level, description.strategy) = (level, Int32(CLIBPNG_STRATEGY_DEFAULT))
        case .runs: (description.level, description.strategy) = (1, Int32(CLIBPNG_STRATEGY_RLE))
        case .nothing: (description.level, description.strategy) = (1, Int32(CLIBPNG_STRATEGY_HUFFMAN))
        case .first(let search):
            // From level 4 on zlib would look beyond the first repeat.
            (description.level, description.search) = (3, clibpng_search(search))
            (description.window, description.memory) = (search.window, search.memory)
        }
    }
}

extension clibpng_search {
    fileprivate init(_ search: PNGCoding.Search) {
        self.init(good: search.good, lazy: search.lazy, nice: search.nice, chain: search.chain)
    }
}
