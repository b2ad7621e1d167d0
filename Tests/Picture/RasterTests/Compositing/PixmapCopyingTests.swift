import Testing

@testable import Raster

@Suite struct PixmapCopyingTests {
    private let board = Pixmap(width: 4, height: 3, color: RGBA(red: 1, green: 2, blue: 3, alpha: 4))
    private let patch = ResamplerSample.picture(width: 3, height: 2, isOpaque: false)

    /// The patch lies inside, over each edge and corner, beyond them, and far away.
    @Test(arguments: [
        (0, 0), (1, 1), (-1, 0), (0, -1), (2, 2), (-2, -1), (3, -1), (-2, 2), (4, 0), (0, 3), (-3, 0), (0, -2),
        (.max, 0), (0, .min), (.min, .max),
    ])
    func replacesExistingPixels(x: Int, y: Int) {
        var copy = board
        copy.copy(patch, atX: x, y: y)
        for row in 0..<3 {
            for column in 0..<4 {
                let isInside = (0..<3).contains(column &- x) && (0..<2).contains(row &- y)
                #expect(copy[column, row] == (isInside ? patch[column - x, row - y] : board[column, row]))
            }
        }
    }

    @Test func makesOneTileOfFour() {
        let whole = ResamplerSample.picture(width: 8, height: 8, isOpaque: false)
        var joined = Pixmap(width: 8, height: 8)
        for (x, y) in [(0, 0), (4, 0), (0, 4), (4, 4)] {
            var child = Pixmap(width: 4, height: 4)
            child.copy(whole, atX: -x, y: -y)
            joined.copy(child, atX: x, y: y)
        }
        #expect(joined == whole)
    }
}
