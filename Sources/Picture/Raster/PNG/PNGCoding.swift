import CLibPNG

/// The settings with which the rows of a PNG are compressed. A filter (PNG 9) may first replace the bytes of a row by
/// differences. zlib then compresses the rows.
struct PNGCoding: Hashable {
    enum Filter: Hashable {
        case none, sub, up, average, paeth
        /// Chooses for each row the filter with the smallest differences (PNG 12.7).
        case adaptive

        /// The filter as one of the constants `CLIBPNG_FILTER_…`.
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

    /// The kinds of repeats that zlib searches for. zlib also codes frequent bytes with fewer bits.
    enum Repeats: Hashable {
        /// Any repeat. `level` is zlib's level 1…9, which says how thorough the search is.
        case any(level: Int32)
        /// Only runs of one byte. The search is fast, and better than `any` for flat areas.
        case runs
        /// No repeats. This is the fastest.
        case nothing
        /// Any repeat. Each time zlib uses the longest repeat that it finds at the current byte.
        case first(Search)
    }

    /// The parameters of zlib's search for repeated bytes. The first four are those of `deflateTune`. Lengths are in
    /// bytes, and `chain` is the maximum number of positions to try.
    struct Search: Hashable {
        /// After a repeat of this length, zlib tries only a quarter of the positions. The value has no effect for
        /// `Repeats.first`, because zlib does not store the length of the last repeat there.
        let good: Int32
        /// zlib does not remember the positions within a repeat longer than this.
        let lazy: Int32
        /// zlib stops the search at a repeat of this length.
        let nice: Int32
        let chain: Int32
        /// The distance that zlib looks back, as a power of two, 9…15. A smaller window is faster, because it stays in
        /// the processor's cache.
        let window: Int32
        /// zlib's `memLevel`, 1…9. The hash table of positions has 2^(memLevel + 7) entries. zlib updates every entry
        /// each time a window is full, so a smaller table is faster. In a smaller table, more sequences of bytes share
        /// an entry.
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
            // From level 4 on zlib would compare the first repeat with the next one.
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
