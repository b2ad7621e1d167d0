/// The boxes that are taken at one zoom, in points. The world repeats in x.
struct LabelGrid {
    private var boxes: [LabelBox] = []
    private var cells: [Cell: [Int32]] = [:]
    /// Points a side of the world.
    private let side: Double
    private let columns: Int

    private struct Cell: Hashable {
        let row: Int
        let column: Int
    }

    /// Side of a cell in points. It divides the side of each world. Large texts have large cells, so that a text is in
    /// few cells.
    private let cell: Double

    init(side: Double, textSize: Double) {
        self.side = side
        cell = textSize > 16 ? 256 : 64
        columns = Int(side / cell)
    }

    /// Number of taken boxes.
    var count: Int { boxes.count }

    /// Reports whether no taken box meets one of `boxes`.
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
            // If the box is wider than the world, the loop visits each column only once.
            for column in left...min(max(right, left), left + columns - 1) {
                body(Cell(row: row, column: (column % columns + columns) % columns))
            }
        }
    }
}
