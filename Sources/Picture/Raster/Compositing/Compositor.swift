/// Lays pictures of one size over each other, in sRGB as map clients do (W3C Compositing and Blending 1).
///
/// Pictures are only noted as they are added; `composed()` computes. Thread rule: a value; one thread at a time.
public struct Compositor: Sendable {
    /// Pixels across, of every layer and the result.
    public let width: Int
    /// Pixels down, of every layer and the result.
    public let height: Int
    private var layers: [Layer] = []

    private struct Layer: Sendable {
        let pixmap: Pixmap
        let opacity: Float
        let blend: BlendMode

        /// Whether nothing below shows.
        var covers: Bool { blend == .normal && opacity == 1 && pixmap.isOpaque }
    }

    /// Nothing yet, which is transparent. `width` and `height` must be in 1…16384.
    public init(width: Int, height: Int) {
        self.width = width
        self.height = height
    }

    /// Adds `layer` on top; its size must be that of the compositor.
    ///
    /// `opacity` from 0 to 1 multiplies its alpha (docs/spec/model.md 3.1); what is outside counts as the nearer of both, and what
    /// is no number as 0. A layer that covers all others ends their part in the costs, one that is transparent has none
    /// but for the look at its pixels.
    public mutating func add(_ layer: Pixmap, opacity: Double = 1, blend: BlendMode = .normal) {
        precondition(layer.width == width && layer.height == height, "a layer has the size of its compositor")
        guard opacity > 0, !layer.isTransparent else { return }
        let layer = Layer(pixmap: layer, opacity: Float(min(opacity, 1)), blend: blend)
        if layer.covers { layers.removeAll() }
        layers.append(layer)
    }

    /// What is seen of the layers: straight alpha, 8 bits a channel, rounded once, halves up.
    ///
    /// Pixels with an alpha of 0 have no colour either. A single layer of opacity 1 comes back as it is, without cost.
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

    /// How many pixels are computed at a time: so many stay in the fastest cache through all layers.
    private static let strip = 256
}
