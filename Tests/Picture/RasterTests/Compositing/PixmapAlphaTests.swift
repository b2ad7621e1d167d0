import Testing

@testable import Raster

@Suite struct PixmapAlphaTests {
    /// A single pixel with another alpha is found at every position.
    @Test(arguments: [(1, 1), (3, 5), (16, 1), (17, 2), (16, 4)])
    func findsASinglePixelThatDiffers(width: Int, height: Int) {
        let (opaque, clear) = (
            Pixmap(width: width, height: height, color: RGBA(red: 0, green: 0, blue: 0)),
            Pixmap(width: width, height: height, color: RGBA(red: 255, green: 255, blue: 255, alpha: 0))
        )
        #expect(opaque.isOpaque && !opaque.isTransparent)
        #expect(clear.isTransparent && !clear.isOpaque)
        for index in stride(from: 3, to: width * height * 4, by: 4) {
            var (almostOpaque, almostClear) = (opaque, clear)
            almostOpaque.bytes[index] = 254
            almostClear.bytes[index] = 1
            #expect(!almostOpaque.isOpaque)
            #expect(!almostClear.isTransparent)
        }
    }
}
