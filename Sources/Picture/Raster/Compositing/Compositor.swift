/// Draws pictures of equal size over each other (W3C Compositing and Blending 1). Colours are mixed as sRGB values,
/// like in the map programs of browsers and phones. `add` stores a picture, and `composed()` computes the result.
///
/// Thread rule: one thread at a time.
public struct Compositor: Sendable {
    /// The width of every layer and of the result, in pixels.
    public let width: Int
    /// The height of every layer and of the result, in pixels.
    public let height: Int
    private var layers: [Layer] = []

    private struct Layer: Sendable {
        let pixmap: Pixmap
        let opacity: Float
        let blend: BlendMode

        /// True if the layer hides all layers below.
        var covers: Bool { blend == .normal && opacity == 1 && pixmap.isOpaque }
    }

    /// Creates a compositor without layers, which is transparent. `width` and `height` must be in 1…16384.
    public init(width: Int, height: Int) {
        self.width = width
        self.height = height
    }

    /// Adds `layer` on top. The size of `layer` must be the size of the compositor.
    ///
    /// `opacity` multiplies the alpha of the layer (docs/spec/model.md 3.1). `opacity` is clamped to 0…1, and NaN
    /// counts as 0. A layer that hides all layers below removes these layers, so they cost no time later. A transparent
    /// layer costs only the test of its pixels.
    public mutating func add(_ layer: Pixmap, opacity: Double = 1, blend: BlendMode = .normal) {
        precondition(layer.width == width && layer.height == height, "a layer has the size of its compositor")
        guard opacity > 0, !layer.isTransparent else { return }
        let layer = Layer(pixmap: layer, opacity: Float(min(opacity, 1)), blend: blend)
        if layer.covers { layers.removeAll() }
        layers.append(layer)
    }

    /// Returns the composed picture.
    ///
    /// Colours are rounded to 8 bits only once, at the end. Fully transparent pixels have the colour 0. If only one
    /// layer remains and its opacity is 1, its picture is returned unchanged and without a copy, so its transparent
    /// pixels keep their colours.
    public func composed() -> Pixmap {
        if layers.count == 1, let only = layers.first, only.opacity == 1 { return only.pixmap }
        var result = Pixmap(width: width, height: height)
        guard !layers.isEmpty else { return result }
        result.bytes.withUnsafeMutableBytes { target in
            withUnsafeTemporaryAllocation(of: PixelQuad.self, capacity: Self.strip / 4) { quads in
                for start in stride(from: 0, to: target.count, by: Self.strip * 4) {
                    let part = start..<min(start + Self.strip * 4, target.count)
                    quads.initialize(repeating: .transparent)
                    for layer in layers {
                        layer.pixmap.bytes.withUnsafeBytes { bytes in
                            layer.blend.lay(UnsafeRawBufferPointer(rebasing: bytes[part]), layer.opacity, on: quads)
                        }
                    }
                    quads.write(to: UnsafeMutableRawBufferPointer(rebasing: target[part]))
                }
            }
        }
        return result
    }

    /// The number of pixels that are computed at a time. This many pixels stay in the fastest cache for all layers.
    private static let strip = 256
}
