import Testing

@testable import Raster

/// Pictures whose client leaves while they are compressed.
@Suite struct PNGAbandoningTests {
    private let pixmap = Pixmap(width: 16, height: 2_000, color: RGBA(red: 1, green: 2, blue: 3))

    @Test(arguments: PNGOptions.Effort.allCases)
    func stopsAtTheNextRow(effort: PNGOptions.Effort) throws {
        let options = PNGOptions(effort: effort)
        var all = 0
        let encoded = try PNGEncoder.encode(pixmap, options: options) {
            all += 1
            return true
        }
        #expect(try PNGEncoder.encode(pixmap, options: options) == encoded)
        #expect(all > 2_000)
        for wanted in [0, 1, 700, all - 1] {
            var asked = 0
            #expect(throws: PNGError.unwanted) {
                try PNGEncoder.encode(pixmap, options: options) {
                    asked += 1
                    return asked <= wanted
                }
            }
            #expect(asked == wanted + 1)
        }
    }

    @Test func stopsAnAnimationWithinAFrame() throws {
        var encoder = APNGEncoder(width: 16, height: 2_000, delay: .init(seconds: 1), isOpaque: true)
        try encoder.add(pixmap)
        #expect(throws: PNGError.unwanted) {
            try encoder.add(Pixmap(width: 16, height: 2_000, color: .transparent)) { false }
        }
        #expect(encoder.count == 1)
    }
}
