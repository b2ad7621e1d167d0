import MapGeometry
import Raster

/// In which steps an image is drawn, so that only some of its tiles are decoded at a time. A value that computes and fetches
/// nothing.
///
/// Bands of rows are drawn one after the other, with all layers, and as many bands are one step as have few enough tiles
/// together. Where a single band has too many, the rows of several bands are held, and the layers are laid on them one by one:
/// then fewer tiles are needed at a time, some of them more than once.
package struct RenderSchedule: Sendable {
    /// A tile that a step needs.
    package struct Tile: Sendable {
        /// What is decoded: the same in all steps that need it.
        package struct ID: Hashable, Sendable {
            /// Which of the plan's layers.
            package let layer: Int
            package let coordinate: TileCoordinate
            package let halvings: Halvings
        }

        package let id: ID
        /// Bytes that it takes when it is decoded.
        package let cost: Int
        /// Whether no earlier step needs it.
        package fileprivate(set) var isFirst = true
        /// Whether no later step needs it.
        package fileprivate(set) var isLast = true
        /// Whether a later step needs it, and one before that does not.
        package fileprivate(set) var comesBack = false
    }

    /// What is drawn at a time.
    package struct Step: Sendable {
        let rows: Range<Int>
        let layers: Range<Int>
        /// The rows that are held while one layer after the other is laid on them; nil: all layers are laid at once.
        let block: Range<Int>?
        /// Those of each layer in turn, the nearest to the target first.
        package fileprivate(set) var tiles: [Tile]

        /// Bytes of its tiles.
        var cost: Int { tiles.reduce(0) { $0 + $1.cost } }
    }

    package private(set) var steps: [Step] = []
    /// The most bytes of decoded tiles that are needed at a time.
    package let tileBytes: Int
    /// The most bytes that rows take while they are held.
    package let rowBytes: Int

    /// Rows that are looked at together.
    static let band = 16

    /// The steps of `plan`, each with at most `limit` bytes of decoded tiles, unless one band of rows needs more of a layer.
    package init(_ plan: RenderPlan, limit: Int = .max) {
        let needs = ScheduleNeeds(plan, band: Self.band)
        // As much for held rows as for half of the tiles.
        let bytes = WarpedRow.bytes(count: plan.width)
        let held = max(min(limit / 2 / bytes / Self.band, needs.bandCount), 1)
        var band = 0
        while band < needs.bandCount {
            let run = needs.run(from: band, below: needs.bandCount, of: needs.layers, limit: limit)
            if run.bytes <= limit || needs.layers.count == 1 {
                steps.append(needs.step(run, block: nil))
                band = run.bands.upperBound
                continue
            }
            let block = band..<min(band + held, needs.bandCount)
            for layer in needs.layers {
                var next = block.lowerBound
                while next < block.upperBound {
                    let run = needs.run(from: next, below: block.upperBound, of: layer..<layer + 1, limit: limit)
                    steps.append(needs.step(run, block: block))
                    next = run.bands.upperBound
                }
            }
            band = block.upperBound
        }
        tileBytes = steps.reduce(0) { max($0, $1.cost) }
        rowBytes = steps.reduce(0) { max($0, ($1.block?.count ?? 0) * bytes) }
        tellApart()
    }

    /// Says of each tile in which other steps it is needed.
    private mutating func tellApart() {
        var last: [Tile.ID: (step: Int, index: Int)] = [:]
        for step in steps.indices {
            for index in steps[step].tiles.indices {
                let id = steps[step].tiles[index].id
                if let before = last.updateValue((step, index), forKey: id) {
                    steps[step].tiles[index].isFirst = false
                    steps[before.step].tiles[before.index].isLast = false
                    // Those between have it come back too, but are not asked for it.
                    if before.step + 1 < step { steps[before.step].tiles[before.index].comesBack = true }
                }
            }
        }
    }
}

/// Which tiles the bands of an image need.
private struct ScheduleNeeds {
    /// Bands that are drawn together.
    struct Run {
        let bands: Range<Int>
        let layers: Range<Int>
        /// Indices of tiles, by layer.
        let tiles: [Set<Int>]
        let bytes: Int
    }

    let layers: Range<Int>
    let bandCount: Int
    private let plan: RenderPlan
    private let band: Int
    /// By layer and band: indices of tiles.
    private var needs: [[[Int]]] = []
    /// By layer and tile.
    private var halvings: [[Halvings]] = []
    private var costs: [[Int]] = []

    init(_ plan: RenderPlan, band: Int) {
        self.plan = plan
        self.band = band
        layers = plan.layers.indices
        bandCount = (plan.height + band - 1) / band
        for layer in plan.layers {
            var all = Array(repeating: Halvings(), count: layer.tiles.count)
            needs.append(
                (0..<bandCount).map { number in
                    guard layer.layer.opacity > 0, !layer.tiles.isEmpty else { return [] }
                    let rows = number * band..<min((number + 1) * band, plan.height)
                    let found = layer.needs(of: rows, on: plan.ground)
                    for (index, halvings) in found { all[index].formUnion(halvings) }
                    return Array(found.keys)
                })
            costs.append(all.map { TilePyramid.cost(side: layer.layer.tileSize, halvings: $0) })
            halvings.append(all)
        }
    }

    /// Bands from `first` on whose tiles take no more than `limit` bytes together; one where even its own take more.
    func run(from first: Int, below end: Int, of layers: Range<Int>, limit: Int) -> Run {
        var tiles = Array(repeating: Set<Int>(), count: self.layers.count)
        var (bytes, next) = (0, first)
        while next < end {
            var added = 0
            for layer in layers {
                for tile in needs[layer][next] where !tiles[layer].contains(tile) { added += costs[layer][tile] }
            }
            guard next == first || bytes + added <= limit else { break }
            for layer in layers { tiles[layer].formUnion(needs[layer][next]) }
            (bytes, next) = (bytes + added, next + 1)
        }
        return Run(bands: first..<next, layers: layers, tiles: tiles, bytes: bytes)
    }

    /// `block`: bands.
    func step(_ run: Run, block: Range<Int>?) -> RenderSchedule.Step {
        let tiles = run.layers.flatMap { layer in
            run.tiles[layer].sorted().map { index in
                RenderSchedule.Tile(
                    id: RenderSchedule.Tile.ID(
                        layer: layer, coordinate: plan.layers[layer].tiles[index], halvings: halvings[layer][index]),
                    cost: costs[layer][index])
            }
        }
        return RenderSchedule.Step(
            rows: rows(run.bands), layers: run.layers, block: block.map(rows), tiles: tiles)
    }

    private func rows(_ bands: Range<Int>) -> Range<Int> {
        bands.lowerBound * band..<min(bands.upperBound * band, plan.height)
    }
}
