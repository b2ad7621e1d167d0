import CLibPNG

/// Chooses the settings for the compression of a picture. Some of its rows are compressed in several ways, which is
/// fast, and the sizes are compared.
///
/// The rules come from measurements (`scripts/bench png`). In drawn maps, many pixels repeat, so a thorough search for
/// repeats is fast and makes the file smaller. In shaded pictures, filters help most, and a thorough search takes too
/// long for its gain. In pictures with a scale of colours, only repeats of whole pixels help, and filters do not. In
/// noise, there are almost no repeats to find.
struct PNGCodingChoice {
    private let samples: PNGSamples
    private let effort: PNGOptions.Effort
    private let isWanted: () -> Bool

    /// Creates a choice. The encoder calls `isWanted` before it compresses a row.
    init(_ samples: PNGSamples, _ effort: PNGOptions.Effort, isWanted: @escaping () -> Bool) {
        self.samples = samples
        self.effort = effort
        self.isWanted = isWanted
    }

    /// Returns the PNG in memory from malloc. The caller must free it.
    func encode() throws(PNGError) -> clibpng_result {
        switch effort {
        case .fast:
            return try write(samples, samples.isFilterable ? fastCoding() : PNGCoding(.none, .runs))
        case .balanced:
            return try write(samples, balancedCoding())
        }
    }

    // MARK: Rules

    private func fastCoding() throws(PNGError) -> PNGCoding {
        guard !PNGRowSample(samples, size: Self.few).isShaded else { return PNGCoding(.average, .runs) }
        let codings = [PNGCoding.Filter.none, .sub].map { PNGCoding($0, .any(level: 1)) }
        return try smallest(of: codings, on: PNGRowSample(samples, size: samples.bytes.count / 16)).coding
    }

    private func balancedCoding() throws(PNGError) -> PNGCoding {
        guard samples.isFilterable else { return try packedCoding() }
        let few = PNGRowSample(samples, size: Self.few)
        return few.isShaded ? try shadedCoding(few) : try drawingCoding()
    }

    /// Returns the coding for samples that filters do not suit. The only useful filter is the one that removes repeated
    /// rows.
    private func packedCoding() throws(PNGError) -> PNGCoding {
        let codings = [PNGCoding(.none, .runs), PNGCoding(.up, .runs), PNGCoding(.none, .any(level: 5))]
        return try smallest(of: codings, on: PNGRowSample(samples, size: max(Self.few, samples.bytes.count / 4))).coding
    }

    private func drawingCoding() throws(PNGError) -> PNGCoding {
        let sample = PNGRowSample(samples, size: max(Self.few, samples.bytes.count / 16))
        let codings = [PNGCoding.Filter.none, .sub, .up].map { PNGCoding($0, .first(Self.everywhere)) }
        let (coding, size) = try smallest(of: codings, on: sample)
        // If little repeats after all, a thorough search would take too long.
        return size * 4 < sample.count ? coding : PNGCoding(coding.filter, .first(Self.quickly))
    }

    private func shadedCoding(_ sample: PNGRowSample) throws(PNGError) -> PNGCoding {
        let filters: [PNGCoding.Filter] = [.average, .paeth, .up, .sub, .none]
        let entropies = filters.map { sample.filtered(by: $0).entropy }
        let lowest = filters[entropies.indices.min { entropies[$0] < entropies[$1] } ?? 0]
        var best = PNGCoding(lowest, .nothing)
        var size = try sizeOfRows(sample, best)
        let runs = try sizeOfRows(sample, PNGCoding(lowest, .runs))
        // Noise has accidental runs. Searching for runs is worthwhile only if there are flat areas too.
        if runs * 100 < size * 99 { (best, size) = (PNGCoding(lowest, .runs), runs) }
        // In noise only accidental repeats exist. In pictures whose colours come from a scale, whole pixels repeat.
        var others = [PNGCoding(.none, .first(Self.quickly)), PNGCoding(.average, .first(Self.nearby))]
        if size * 5 < sample.count * 3 {
            others = [PNGCoding(.none, .first(Self.quickly))]
            others += [PNGCoding.Filter.average, .up, .adaptive].map { PNGCoding($0, .first(shortly)) }
        }
        for coding in others {
            let found = try sizeOfRows(sample, coding)
            if found < size { (best, size) = (coding, found) }
        }
        return best
    }

    /// Returns the compressed size of the sampled rows. Each row is filtered with its real upper neighbour.
    private func sizeOfRows(_ sample: PNGRowSample, _ coding: PNGCoding) throws(PNGError) -> Int {
        let bytes = sample.filtered(by: coding.filter)
        let row = PNGSamples(width: bytes.count, height: 1, kind: .gray, bytes: bytes)
        return try size(of: row, PNGCoding(.none, coding.repeats))
    }

    // MARK: Searches

    /// The search for drawings, in which a repeat may begin within another repeat.
    private static let everywhere = PNGCoding.Search(good: 8, lazy: 258, nice: 64, chain: 32, window: 15, memory: 8)
    /// The search for colours from a scale, whose repeats are short and far away, and for drawings with few repeats.
    private static let quickly = PNGCoding.Search(good: 4, lazy: 16, nice: 64, chain: 32, window: 15, memory: 8)
    /// The search for shaded pixels, whose repeats are even shorter and lie in the rows above.
    private var shortly: PNGCoding.Search {
        // A repeat of two pixels is long enough. With four channels, of which one is constant, nearly two pixels are
        // enough.
        let nice: Int32 =
            switch samples.kind {
            case .rgb: 6
            case .rgba: 7
            case .gray, .grayAlpha, .palette: 8
            }
        return PNGCoding.Search(good: 4, lazy: 258, nice: nice, chain: 52, window: 14, memory: 7)
    }
    /// The search for noise with some repeats, such as a decoded JPEG.
    private static let nearby = PNGCoding.Search(good: 4, lazy: 4, nice: 8, chain: 4, window: 14, memory: 9)

    // MARK: Trials

    /// The number of bytes in rows that are enough to predict the compression of shaded pixels.
    private static let few = 8 << 10

    /// Returns the coding that compresses `sample` best, and the compressed size. If several codings are equal, returns
    /// the first.
    private func smallest(
        of codings: [PNGCoding], on sample: PNGRowSample
    ) throws(PNGError) -> (coding: PNGCoding, size: Int) {
        let picture = sample.picture
        var best = (coding: PNGCoding(.none, .runs), size: Int.max)
        for coding in codings {
            let size = try size(of: picture, coding)
            if size < best.size { best = (coding, size) }
        }
        return best
    }

    private func size(of samples: PNGSamples, _ coding: PNGCoding) throws(PNGError) -> Int {
        try PNGEncoder.size(of: samples, coding, isWanted: isWanted)
    }

    private func write(_ samples: PNGSamples, _ coding: PNGCoding) throws(PNGError) -> clibpng_result {
        try PNGEncoder.write(samples, coding, isWanted: isWanted)
    }
}
