/// The boxes that labels have taken at one zoom, in points of the world. A grid of cells finds the boxes near a place
/// quickly. In x, the world repeats.
struct LabelGrid {
    private var boxes: [LabelBox] = []
    private var cells: [Cell: [Int32]] = [:]
    /// Side of the world in points.
    private let side: Double
    private let columns: Int

    private struct Cell: Hashable {
        let row: Int
        let column: Int
    }

    /// Side of a cell in points. Its value divides the side of every world. Large texts get large cells, so that a text
    /// lies in few cells.
    private let cell: Double

    init(side: Double, textSize: Double) {
        self.side = side
        cell = textSize > 16 ? 256 : 64
        columns = Int(side / cell)
    }

    /// Number of boxes that were taken so far.
    var count: Int { boxes.count }

    /// Reports whether `boxes` are all free: no taken box overlaps one of them.
    func isFree(_ boxes: [LabelBox]) -> Bool {
        boxes.allSatisfy { box in
            var isFree = true
            forEachCell(of: box) { cell in
                guard isFree, let taken = cells[cell] else { return }
                isFree = !taken.contains { meets(self.boxes[Int($0)], box) }
            }
            return isFree
        }
    }

    mutating func take(_ box: LabelBox) {
        let index = Int32(clamping: boxes.count)
        boxes.append(box)
        var found: [Cell] = []
        forEachCell(of: box) { found.append($0) }
        for cell in found { cells[cell, default: []].append(index) }
    }

    private func meets(_ one: LabelBox, _ other: LabelBox) -> Bool {
        [0, -side, side].contains { one.moved($0, 0).meets(other) }
    }

    private func forEachCell(of box: LabelBox, _ body: (Cell) -> Void) {
        let (left, right) = (Int((box.left / cell).rounded(.down)), Int((box.right / cell).rounded(.down)))
        let (top, bottom) = (Int((box.top / cell).rounded(.down)), Int((box.bottom / cell).rounded(.down)))
        for row in top...max(bottom, top) {
            // Visits each column at most once, even if the box is wider than the world.
            for column in left...min(max(right, left), left + columns - 1) {
                body(Cell(row: row, column: (column % columns + columns) % columns))
            }
        }
    }
}
