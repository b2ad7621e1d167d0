import MapGeometry
import Raster

/// The steps in which an image is drawn, so that only some of its tiles must be decoded at a time. Creating a schedule
/// neither draws nor fetches anything.
///
/// The rows of an image are divided into bands. Normally, a step draws all layers on some consecutive bands, whose
/// tiles together fit into the memory limit. If the tiles of a single band do not fit, several layers are drawn one
/// after the other. The rows of one or more bands then stay in memory until all layers are drawn on them. This way,
/// fewer tiles are needed at a time, but some tiles are needed again after those of other layers.
package struct RenderSchedule: Sendable {
    /// A tile that a step needs.
    package struct Tile: Sendable {
        /// The identity of a decoded tile. The identity is equal in all steps that need the tile.
        package struct ID: Hashable, Sendable {
            /// The index of the layer in the plan.
            package let layer: Int
            package let coordinate: TileCoordinate
            package let halvings: Halvings
        }

        package let id: ID
        /// The size of the decoded tile in bytes.
        package let cost: Int
        /// True if no earlier step needs the tile.
        package fileprivate(set) var isFirst = true
        /// True if no later step needs the tile.
        package fileprivate(set) var isLast = true
        /// True if a later step needs the tile again but the next step does not.
        package fileprivate(set) var comesBack = false
    }

    /// One step of drawing, which draws some layers on some rows. It lists the tiles that must be decoded for it.
    package struct Step: Sendable {
        let rows: Range<Int>
        let layers: Range<Int>
        /// The rows that are held in memory while the layers are laid on them one by one. Nil if the step lays all
        /// layers at once.
        let block: Range<Int>?
        /// The tiles, grouped by layer. Within a layer, the tile nearest to the target comes first.
        package fileprivate(set) var tiles: [Tile]

        /// The size of all decoded tiles of the step, in bytes.
        var cost: Int { tiles.reduce(0) { $0 + $1.cost } }
    }

    package private(set) var steps: [Step] = []
    /// The maximum size of the decoded tiles of any step, in bytes.
    package let tileBytes: Int
    /// The maximum size of the held rows of any step, in bytes.
    package let rowBytes: Int

    /// The number of rows per band. The tiles are determined for a whole band.
    static let band = 16

    /// Creates the schedule of `plan`. The decoded tiles of each step together have at most `limit` bytes. A step
    /// exceeds the limit only if the tiles of one layer for one band are larger.
    package init(_ plan: RenderPlan, limit: Int = .max) {
        let needs = ScheduleNeeds(plan, band: Self.band)
        // Held rows may use half of `limit`, but have at least one band.
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

    /// Sets the flags of each tile that say whether earlier or later steps need the same tile.
    private mutating func tellApart() {
        var last: [Tile.ID: (step: Int, index: Int)] = [:]
        for step in steps.indices {
            for index in steps[step].tiles.indices {
                let id = steps[step].tiles[index].id
                if let before = last.updateValue((step, index), forKey: id) {
                    steps[step].tiles[index].isFirst = false
                    steps[before.step].tiles[before.index].isLast = false
                    // Only the last use before the gap has the flag.
                    if before.step + 1 < step { steps[before.step].tiles[before.index].comesBack = true }
                }
            }
        }
    }
}

/// The tiles that each band of an image needs.
private struct ScheduleNeeds {
    /// Bands that are drawn together in one step.
    struct Run {
        let bands: Range<Int>
        let layers: Range<Int>
        /// The indices of the tiles, by layer.
        let tiles: [Set<Int>]
        let bytes: Int
    }

    let layers: Range<Int>
    let bandCount: Int
    private let plan: RenderPlan
    private let band: Int
    /// The indices of the tiles, by layer and band.
    private var needs: [[[Int]]] = []
    /// The halvings of each tile, by layer and tile index.
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

    /// Collects bands, beginning with the band `first`, until the tiles of a further band would exceed `limit` bytes.
    /// The result has at least one band, even if this band exceeds the limit.
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

    /// Returns the step that draws the bands of `run`. `block` is the range of the bands whose rows stay in memory, or
    /// nil if the step draws all layers.
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
