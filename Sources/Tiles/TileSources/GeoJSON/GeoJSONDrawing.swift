import Foundation
import Labels
import MapGeometry
import Raster
import Tiles

/// Draws the features of a file on one tile. Drawing stops with an error if it needs more work than the budget allows.
struct GeoJSONDrawing {
    /// The budget after the work so far.
    private(set) var budget: GeoJSONBudget
    private var canvas: Canvas
    private let selection: GeoJSONSelection
    private let content: GeoJSONContent
    private let frame: TileFrame
    private let window: GeoJSONWindow
    private let labels: LabelDrawing?

    init(_ selection: GeoJSONSelection, _ frame: TileFrame, _ labels: LabelDrawing?, budget: GeoJSONBudget) {
        self.labels = labels
        self.selection = selection
        self.frame = frame
        self.budget = budget
        content = selection.content
        window = GeoJSONWindow(content, frame)
        canvas = Canvas(width: frame.side, height: frame.side)
    }

    /// Draws all features.
    mutating func draw() throws(GeoJSONBudget.ExhaustedError) {
        try drawAreas()
        try drawLines()
        try drawPoints()
        try drawLabels()
    }

    /// Returns the tile. Nil if no feature is visible on it.
    consuming func finished() -> Pixmap? {
        let pixmap = canvas.pixmap
        return pixmap.bytes.contains { $0 != 0 } ? pixmap : nil
    }

    private mutating func drawAreas() throws(GeoJSONBudget.ExhaustedError) {
        // The array is reused for each chain of points, to avoid an allocation for each.
        var chain: [Point] = []
        for batch in selection.batches where batch.style.hasFill {
            guard let extent = extent(of: batch, margin: 1, { $0 == .area }), var area = canvas.area(within: extent)
            else {
                continue
            }
            try budget.spend(2 * area.pixelCount + 1_000)
            for member in selection.neighbors[batch.members] where content.shapes[member.shape].kind == .area {
                let shape = content.shapes[member.shape]
                try budget.spend(10 * shape.lines.count + 10)
                try window.forEachChain(ofArea: shape, turn: member.turn, &chain) {
                    (chain, vertices) throws(GeoJSONBudget.ExhaustedError) in
                    try budget.spend(2 * vertices + area.add(chain: chain), vertices: vertices)
                }
            }
            canvas.fill(area, color: batch.style.fill)
        }
    }

    /// Draws lines and the outlines of areas.
    private mutating func drawLines() throws(GeoJSONBudget.ExhaustedError) {
        var chain: [Point] = []
        for batch in selection.batches where batch.style.hasStroke {
            // If a pixel is larger than a point, keep the density of the lines.
            let width = max(batch.style.width * frame.scale, min(batch.style.width, 1))
            guard let extent = extent(of: batch, margin: width / 2 + 1, { $0 != .point }),
                var lines = canvas.lines(within: extent, width: width)
            else { continue }
            try budget.spend(2 * lines.pixelCount + 1_000)
            let dashes = dashes(of: batch.style)
            var travelled = 0.0
            for member in selection.neighbors[batch.members] where content.shapes[member.shape].kind != .point {
                let shape = content.shapes[member.shape]
                try budget.spend(10 * shape.lines.count + 10)
                try window.forEachChain(
                    ofLines: shape, turn: member.turn, width: width, isWhole: !dashes.isEmpty, &chain
                ) { (chain, vertices, isStart) throws(GeoJSONBudget.ExhaustedError) in
                    if isStart { travelled = 0 }
                    let work =
                        dashes.isEmpty || chain.count < 2
                        ? lines.add(chain, limit: budget.left)
                        : lines.add(chain, dashes: dashes, travelled: &travelled, limit: budget.left)
                    try budget.spend(2 * vertices + work, vertices: vertices)
                }
            }
            canvas.stroke(lines, color: batch.style.stroke)
        }
    }

    /// Returns the lengths of dashes in pixels, alternately drawn and skipped. Empty for a solid line, and for a
    /// pattern that is shorter than half a pixel and so not visible.
    private func dashes(of style: GeoJSONStyle) -> [Double] {
        let dashes = style.dashes.map { $0 * frame.scale }
        return dashes.reduce(0, +) >= 0.5 ? dashes : []
    }

    private mutating func drawPoints() throws(GeoJSONBudget.ExhaustedError) {
        for (style, centers) in try pointsToDraw() {
            var disc = GeoJSONDisc(style, scale: frame.scale)
            // Check the whole work first: partly drawn points would be thrown away.
            try budget.spend(disc.work * centers.count)
            for center in centers { disc.draw(at: center, on: &canvas) }
        }
    }

    private mutating func drawLabels() throws(GeoJSONBudget.ExhaustedError) {
        guard let labels else { return }
        try budget.spend(Self.labelWork * labels.count)
        labels.draw(on: &canvas)
    }

    /// An estimate of the work for drawing a label with its halo, in units of `GeoJSONBudget`: about 80 µs.
    private static let labelWork = 20_000

    /// Returns the positions of the points to draw, by style. Of all points at nearly the same position, only the last
    /// one is drawn, which would lie above the others. This limits the work. "Nearly the same" means in the same small
    /// square. The side of the square is one point of the map, but at least one pixel.
    private mutating func pointsToDraw() throws(GeoJSONBudget.ExhaustedError) -> [(GeoJSONStyle, [Point])] {
        let cell = max(frame.scale, 1)
        let (left, top) = ((frame.left / cell).rounded(.down), (frame.top / cell).rounded(.down))
        let margin = Int(content.reach) + 4
        let side = Int(Double(frame.side) / cell) + 2 * margin
        var isTaken: [Bool] = []
        var discs: [(GeoJSONStyle, [Point])] = []
        for batch in selection.batches.reversed() where batch.style.hasDisc {
            var centers: [Point] = []
            for member in selection.neighbors[batch.members].reversed() {
                let shape = content.shapes[member.shape]
                guard shape.kind == .point else { continue }
                try budget.spend(5, vertices: 1)
                if isTaken.isEmpty { isTaken = [Bool](repeating: false, count: side * side) }
                let pixel = window.pixel(WorldPoint(x: shape.box.left, y: shape.box.top), turn: member.turn)
                let column = Int((pixel.x / cell).rounded(.down) - left) + margin
                let row = Int((pixel.y / cell).rounded(.down) - top) + margin
                // The point is farther away than any disc reaches.
                guard 0..<side ~= column, 0..<side ~= row, !isTaken[row * side + column] else { continue }
                isTaken[row * side + column] = true
                centers.append(frame.local(pixel.x, pixel.y))
            }
            if !centers.isEmpty { discs.append((batch.style, centers.reversed())) }
        }
        return discs.reversed()
    }

    /// Returns the part of the canvas that the lines of a batch can touch. Only shapes of a kind that `isWanted`
    /// accepts count, and only their lines within `margin` pixels of the tile. Returns nil if there are none.
    private func extent(
        of batch: GeoJSONSelection.Batch, margin: Double, _ isWanted: (GeoJSONShape.Kind) -> Bool
    ) -> Canvas.Extent? {
        var box = GeoJSONBox.nothing
        for member in selection.neighbors[batch.members] {
            let shape = content.shapes[member.shape]
            guard isWanted(shape.kind) else { continue }
            let near = window.box(margin: margin, turn: member.turn)
            for number in shape.lines {
                let line = content.lines[Int(number)].box
                if line.meets(near) { box.extend(to: line.moved(by: member.turn)) }
            }
        }
        guard box.left <= box.right else { return nil }
        let (low, high) = (
            frame.local(box.left * frame.worldSide, box.top * frame.worldSide),
            frame.local(box.right * frame.worldSide, box.bottom * frame.worldSide)
        )
        return (low.x, low.y, high.x, high.y)
    }
}
