import CLibPNG

/// How rows are filtered (PNG 9) and compressed.
struct PNGCoding: Hashable {
    enum Filter: Hashable {
        case none, sub, up, average, paeth
        /// Another one for each row, as libpng judges by the sum of the differences.
        case adaptive
    }

    /// What zlib looks for besides frequent bytes.
    enum Repeats: Hashable {
        /// Any, so thoroughly: zlib's levels 1…9.
        case any(level: Int32)
        /// Long ones only, which suits filtered noise; zlib's `Z_FILTERED` at levels 4…9.
        case long(level: Int32)
        /// Runs of one byte only: quick, and better than `any` for noise and for flat areas.
        case runs
    }

    let filter: Filter
    let repeats: Repeats

    init(_ filter: Filter, _ repeats: Repeats) {
        self.filter = filter
        self.repeats = repeats
    }

    func apply(to description: inout clibpng_description) {
        description.filters = Int32(mask)
        switch repeats {
        case .any(let level): (description.level, description.strategy) = (level, Int32(CLIBPNG_STRATEGY_DEFAULT))
        case .long(let level): (description.level, description.strategy) = (level, Int32(CLIBPNG_STRATEGY_FILTERED))
        case .runs: (description.level, description.strategy) = (1, Int32(CLIBPNG_STRATEGY_RLE))
        }
    }

    private var mask: Int {
        switch filter {
        case .none: CLIBPNG_FILTER_NONE
        case .sub: CLIBPNG_FILTER_SUB
        case .up: CLIBPNG_FILTER_UP
        case .average: CLIBPNG_FILTER_AVERAGE
        case .paeth: CLIBPNG_FILTER_PAETH
        case .adaptive: CLIBPNG_FILTER_ADAPTIVE
        }
    }
}
