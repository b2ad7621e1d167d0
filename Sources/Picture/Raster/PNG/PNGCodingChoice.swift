import CLibPNG

/// Chooses how to compress a picture by what is in it: by trying on some of its rows, which is quick.
///
/// The rules were found by measuring (`scripts/bench png`): where pixels repeat, as on drawn maps, a thorough search
/// for repeats pays and is quick; where they are shaded, filters matter most and a thorough search costs more than it
/// saves; where they have colours of a scale, repeats of whole pixels matter, and no filter; in noise, even the quickest
/// search finds nothing but chance.
struct PNGCodingChoice {
    private let samples: PNGSamples
    private let effort: PNGOptions.Effort
    private let isWanted: () -> Bool

    /// `isWanted` is asked before each row that is compressed.
    init(_ samples: PNGSamples, _ effort: PNGOptions.Effort, isWanted: @escaping () -> Bool) {
        self.samples = samples
        self.effort = effort
        self.isWanted = isWanted
    }

    /// The PNG in memory from malloc, which the caller frees.
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

    /// For samples that no filter suits but, now and then, the one that takes away whole rows.
    private func packedCoding() throws(PNGError) -> PNGCoding {
        let codings = [PNGCoding(.none, .runs), PNGCoding(.up, .runs), PNGCoding(.none, .any(level: 5))]
        return try smallest(of: codings, on: PNGRowSample(samples, size: max(Self.few, samples.bytes.count / 4))).coding
    }

    private func drawingCoding() throws(PNGError) -> PNGCoding {
        let sample = PNGRowSample(samples, size: max(Self.few, samples.bytes.count / 16))
        let codings = [PNGCoding.Filter.none, .sub, .up].map { PNGCoding($0, .first(Self.everywhere)) }
        let (coding, size) = try smallest(of: codings, on: sample)
        // Where little repeats after all, a thorough search would take long.
        return size * 4 < sample.count ? coding : PNGCoding(coding.filter, .first(Self.quickly))
    }

    private func shadedCoding(_ sample: PNGRowSample) throws(PNGError) -> PNGCoding {
        let filters: [PNGCoding.Filter] = [.average, .paeth, .up, .sub, .none]
        let entropies = filters.map { sample.filtered(by: $0).entropy }
        let lowest = filters[entropies.indices.min { entropies[$0] < entropies[$1] } ?? 0]
        var best = PNGCoding(lowest, .nothing)
        var size = try sizeOfRows(sample, best)
        let runs = try sizeOfRows(sample, PNGCoding(lowest, .runs))
        // Noise has runs by chance; looking for them pays where there are even areas beside it.
        if runs * 100 < size * 99 { (best, size) = (PNGCoding(lowest, .runs), runs) }
        // In noise nothing repeats but by chance. Pixels that have their colours from a scale do repeat, one by one and whole.
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

    /// The size of the rows as they are filtered where they stand.
    private func sizeOfRows(_ sample: PNGRowSample, _ coding: PNGCoding) throws(PNGError) -> Int {
        let bytes = sample.filtered(by: coding.filter)
        let row = PNGSamples(width: bytes.count, height: 1, kind: .gray, bytes: bytes)
        return try size(of: row, PNGCoding(.none, coding.repeats))
    }

    // MARK: Searches

    /// For drawings: a repeat may begin within another one.
    private static let everywhere = PNGCoding.Search(good: 8, lazy: 258, nice: 64, chain: 32, window: 15, memory: 8)
    /// For colours of a scale, whose repeats are short and lie far away.
    private static let quickly = PNGCoding.Search(good: 4, lazy: 16, nice: 64, chain: 32, window: 15, memory: 8)
    /// For shaded pixels, whose repeats are shorter yet and lie in the rows above.
    private var shortly: PNGCoding.Search {
        // Two pixels are enough; of four channels, one of which says nothing, nearly.
        let nice: Int32 =
            switch samples.kind {
            case .rgb: 6
            case .rgba: 7
            case .gray, .grayAlpha, .palette: 8
            }
        return PNGCoding.Search(good: 4, lazy: 258, nice: nice, chain: 52, window: 14, memory: 7)
    }
    /// For noise that has some repeats, such as that of a JPEG.
    private static let nearby = PNGCoding.Search(good: 4, lazy: 4, nice: 8, chain: 4, window: 14, memory: 9)

    // MARK: Trials

    /// Bytes of rows that tell how shaded pixels are compressed.
    private static let few = 8 << 10

    /// The first of those that make `sample` smallest, and its size then.
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
