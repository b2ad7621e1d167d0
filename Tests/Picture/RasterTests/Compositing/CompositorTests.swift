import Testing

@testable import Raster

@Suite struct CompositorTests {
    /// A layer of one pixel with nothing below it (docs/spec/model.md 3.6, T-LAYER-3 and 4).
    @Test(arguments: [(200, 0.75, 150), (255, 0.5, 128), (128, 0.25, 32), (255, 0.7, 179), (255, 0.1, 26)])
    func multipliesAlphaByOpacity(alpha: UInt8, opacity: Double, expected: UInt8) {
        var compositor = Compositor(width: 1, height: 1)
        compositor.add(
            Pixmap(width: 1, height: 1, color: RGBA(red: 7, green: 8, blue: 9, alpha: alpha)), opacity: opacity)
        #expect(compositor.composed().bytes == [7, 8, 9, expected])
    }

    /// T-LAYER-5, in both orders.
    @Test func laysHalfOfAColorOverAnother() {
        let (blue, red) = (RGBA(red: 0, green: 0, blue: 255), RGBA(red: 255, green: 0, blue: 0))
        var compositor = Compositor(width: 3, height: 3)
        compositor.add(Pixmap(width: 3, height: 3, color: blue))
        compositor.add(Pixmap(width: 3, height: 3, color: red), opacity: 0.5)
        #expect(compositor.composed() == Pixmap(width: 3, height: 3, color: RGBA(red: 128, green: 0, blue: 128)))
        compositor.add(Pixmap(width: 3, height: 3, color: blue))
        #expect(compositor.composed() == Pixmap(width: 3, height: 3, color: blue))
    }

    /// Pairs of a backdrop pixel and a source pixel. `blended` has the result of each pair.
    private static let pairs: [([UInt8], [UInt8])] = [
        ([40, 128, 200, 255], [90, 250, 10, 255]), ([127, 128, 255, 255], [0, 77, 201, 128]),
        ([250, 30, 140, 100], [60, 190, 127, 255]), ([200, 100, 50, 180], [13, 240, 99, 77]),
        ([5, 90, 128, 3], [255, 160, 64, 250]), ([9, 8, 7, 0], [33, 66, 99, 120]),
        ([70, 80, 90, 200], [1, 2, 3, 0]),
    ]

    /// Expected results, computed with fractions of integers from the formulas of W3C Compositing 1 for straight
    /// colours.
    private static let blended: [(BlendMode, [UInt8])] = [
        (
            .normal,
            [
                90, 250, 10, 255, 63, 102, 228, 255, 60, 190, 127, 255, 129, 153, 69, 203, 255, 160, 64, 250,
                33, 66, 99, 120, 70, 80, 90, 200,
            ]
        ),
        (
            .multiply,
            [
                14, 125, 8, 255, 63, 83, 228, 255, 60, 124, 105, 255, 128, 114, 47, 203, 252, 159, 64, 250,
                33, 66, 99, 120, 70, 80, 90, 200,
            ]
        ),
        (
            .screen,
            [
                116, 253, 202, 255, 127, 147, 255, 255, 135, 193, 155, 255, 180, 155, 77, 203, 255, 160, 65, 250,
                33, 66, 99, 120, 70, 80, 90, 200,
            ]
        ),
        (
            .overlay,
            [
                28, 250, 149, 255, 63, 103, 255, 255, 133, 133, 132, 255, 166, 139, 52, 203, 252, 159, 64, 250,
                33, 66, 99, 120, 70, 80, 90, 200,
            ]
        ),
        (
            .darken,
            [
                40, 128, 10, 255, 63, 102, 228, 255, 60, 127, 127, 255, 129, 116, 55, 203, 252, 159, 64, 250,
                33, 66, 99, 120, 70, 80, 90, 200,
            ]
        ),
        (
            .lighten,
            [
                90, 250, 200, 255, 127, 128, 255, 255, 135, 190, 132, 255, 179, 153, 69, 203, 255, 160, 65, 250,
                33, 66, 99, 120, 70, 80, 90, 200,
            ]
        ),
    ]

    /// The row has seven pixels: a whole group of four and a part of a group.
    @Test(arguments: blended) func blendsByTheFormulas(mode: BlendMode, expected: [UInt8]) {
        var (backdrop, source) = (Pixmap(width: 7, height: 1), Pixmap(width: 7, height: 1))
        backdrop.bytes = Self.pairs.flatMap(\.0)
        source.bytes = Self.pairs.flatMap(\.1)
        var compositor = Compositor(width: 7, height: 1)
        compositor.add(backdrop)
        compositor.add(source, blend: mode)
        #expect(compositor.composed().bytes == expected)
    }

    @Test(arguments: BlendMode.allCases) func showsTheSourceOverTransparentPixels(mode: BlendMode) {
        let source = ResamplerSample.picture(width: 5, height: 5, isOpaque: true)
        for layers in [[source], [Pixmap(width: 5, height: 5), source]] {
            var compositor = Compositor(width: 5, height: 5)
            for layer in layers { compositor.add(layer, blend: mode) }
            #expect(compositor.composed() == source)
            compositor.add(source, opacity: 0, blend: mode)
            #expect(compositor.composed() == source)
        }
    }

    /// The expected colour is computed with fractions of integers. Each mode occurs in the stack.
    @Test func blendsAStack() {
        let layers: [(RGBA, Double, BlendMode)] = [
            (RGBA(red: 255, green: 255, blue: 255), 1, .normal),
            (RGBA(red: 40, green: 90, blue: 200, alpha: 90), 0.75, .multiply),
            (RGBA(red: 200, green: 30, blue: 10, alpha: 128), 0.5, .screen),
            (RGBA(red: 10, green: 220, blue: 130, alpha: 200), 0.25, .overlay),
            (RGBA(red: 90, green: 90, blue: 20), 0.125, .lighten),
            (RGBA(red: 250, green: 200, blue: 20, alpha: 77), 1, .darken),
            (RGBA(red: 3, green: 250, blue: 90, alpha: 66), 0.5, .normal),
        ]
        var compositor = Compositor(width: 1, height: 1)
        for (color, opacity, blend) in layers {
            compositor.add(Pixmap(width: 1, height: 1, color: color), opacity: opacity, blend: blend)
        }
        #expect(compositor.composed().bytes == [175, 218, 163, 255])
    }

    /// The expected colour is computed with fractions of integers. With rounding to 8 bits after each layer it would be
    /// 133, 164, 123, 220.
    @Test func doesNotAccumulateRounding() {
        var compositor = Compositor(width: 1, height: 1)
        for layer in 0..<64 {
            let color = RGBA(
                red: UInt8(10 + 3 * layer), green: UInt8(250 - 2 * layer), blue: UInt8(7 * layer % 256), alpha: 8)
            compositor.add(Pixmap(width: 1, height: 1, color: color))
        }
        #expect(compositor.composed().bytes == [135, 167, 122, 222])
    }

    /// The layers have opaque, transparent and mixed strips, and the last strip is shorter. The result must be the same
    /// as pixel by pixel.
    @Test(arguments: BlendMode.allCases) func blendsEveryPixelIndependently(mode: BlendMode) {
        var random = SplitMix(state: 3)
        let layers = (0..<3).map { _ in
            var layer = Pixmap(width: 43, height: 29)
            for index in layer.bytes.indices { layer.bytes[index] = .random(in: 0...255, using: &random) }
            for index in stride(from: 3, to: 2048, by: 4) { layer.bytes[index] = index < 1024 ? 255 : 0 }
            return layer
        }
        func composed(_ layers: [Pixmap]) -> Pixmap {
            var compositor = Compositor(width: layers[0].width, height: layers[0].height)
            for layer in layers { compositor.add(layer, opacity: 0.875, blend: mode) }
            return compositor.composed()
        }
        let whole = composed(layers)
        for y in 0..<29 {
            for x in 0..<43 {
                let pixel = composed(layers.map { Pixmap(width: 1, height: 1, color: $0[x, y]) })
                #expect(whole[x, y] == pixel[0, 0])
            }
        }
    }

    @Test(arguments: BlendMode.allCases) func keepsAnOpaqueBackdropOpaque(mode: BlendMode) {
        var random = SplitMix(state: 5)
        var layer = Pixmap(width: 64, height: 16)
        for index in layer.bytes.indices { layer.bytes[index] = .random(in: 0...255, using: &random) }
        var compositor = Compositor(width: 64, height: 16)
        compositor.add(ResamplerSample.picture(width: 64, height: 16, isOpaque: true))
        for _ in 0..<9 { compositor.add(layer, opacity: 0.3, blend: mode) }
        #expect(compositor.composed().isOpaque)
    }

    @Test(arguments: [(-1, 0), (.nan, 0), (2, 255), (.infinity, 255)] as [(Double, UInt8)])
    func clampsOpacity(opacity: Double, alpha: UInt8) {
        var compositor = Compositor(width: 2, height: 2)
        compositor.add(Pixmap(width: 2, height: 2, color: RGBA(red: 1, green: 2, blue: 3)), opacity: opacity)
        #expect(compositor.composed()[1, 1].alpha == alpha)
    }

    @Test func isTransparentWithoutLayers() {
        #expect(Compositor(width: 4, height: 3).composed() == Pixmap(width: 4, height: 3))
    }
}
