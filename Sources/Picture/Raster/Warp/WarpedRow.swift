/// Takes one sample of a mosaic for each pixel of a row. It says where on the mosaic the samples are taken, and with
/// which weight they are added to the pixels.
///
/// If a pixel covers many texels, several taps with slightly different positions are added up.
package struct WarpTap: Sendable {
    /// The mosaic that contains the texels.
    package let mosaic: TileMosaic
    /// The positions of the row's pixels on the mosaic.
    package let line: TexelLine
    /// The weight in 1/256, in 1…256.
    package let weight: Int

    /// Creates a tap. `weight` must be in 1…256.
    package init(mosaic: TileMosaic, line: TexelLine, weight: Int) {
        self.mosaic = mosaic
        self.line = line
        self.weight = weight
    }
}

/// A row of a picture on which layers of tiles are drawn in perspective. The type can store several rows. One of them
/// is selected, and all methods use this row.
///
/// The type owns the memory of its rows and uses it again for the next rows. Thread rule: one thread at a time.
package struct WarpedRow: ~Copyable {
    private let count: Int
    /// The content of all rows. A row is stored in `allPixels` if its `areMixed` is false, else in `allGround`.
    private let allPixels: UnsafeMutableBufferPointer<SIMD4<UInt32>>
    private let allGround: UnsafeMutableBufferPointer<PixelQuad>
    private var areMixed: [Bool]
    /// The content of the selected row.
    private var pixels: UnsafeMutableBufferPointer<SIMD4<UInt32>>
    private var ground: UnsafeMutableBufferPointer<PixelQuad>
    private var selected = 0
    /// Buffers for the layer that is being laid.
    private let sums: UnsafeMutableBufferPointer<TexelSums>
    private let layer: UnsafeMutableBufferPointer<PixelQuad>

    /// Allocates `rows` rows of `count` pixels each, with `count` in 1…16384. The first row is selected.
    package init(count: Int, rows: Int = 1) {
        self.count = count
        let quads = (count + 3) / 4
        allPixels = .allocate(capacity: quads * rows)
        allPixels.initialize(repeating: .zero)
        // The memory is not initialised, so that rows that are never mixed use no physical memory for it. `mix` writes
        // it before it is read.
        allGround = .allocate(capacity: quads * rows)
        areMixed = Array(repeating: false, count: rows)
        pixels = UnsafeMutableBufferPointer(rebasing: allPixels[..<quads])
        ground = UnsafeMutableBufferPointer(rebasing: allGround[..<quads])
        sums = .allocate(capacity: quads)
        sums.initialize(repeating: .zero)
        layer = .allocate(capacity: quads)
        layer.initialize(repeating: .transparent)
    }

    /// Returns the maximum size of a row of `count` pixels in bytes, without the buffers that the rows share.
    package static func bytes(count: Int) -> Int {
        (count + 3) / 4 * (MemoryLayout<SIMD4<UInt32>>.stride + MemoryLayout<PixelQuad>.stride)
    }

    /// Selects row `index`. All other methods then work on this row.
    package mutating func select(_ index: Int) {
        let quads = sums.count
        pixels = UnsafeMutableBufferPointer(rebasing: allPixels[(index * quads)...].prefix(quads))
        ground = UnsafeMutableBufferPointer(rebasing: allGround[(index * quads)...].prefix(quads))
        selected = index
    }

    private var isMixed: Bool {
        get { areMixed[selected] }
        set { areMixed[selected] = newValue }
    }

    deinit {
        allPixels.deallocate()
        allGround.deallocate()
        sums.deallocate()
        layer.deallocate()
    }

    /// Fills the row with one colour.
    package mutating func begin(_ color: RGBA) {
        let pixel = UInt32(color.red) | UInt32(color.green) << 8 | UInt32(color.blue) << 16 | UInt32(color.alpha) << 24
        pixels.update(repeating: SIMD4(repeating: color.alpha == 0 ? 0 : pixel))
        isMixed = false
    }

    /// Lays a layer over the row. The layer is the sum of `taps`, whose weights add up to at most 256. Missing tiles
    /// are transparent.
    ///
    /// `opacity` is in 0…1 and multiplies the layer's alpha.
    package mutating func lay(_ taps: [WarpTap], opacity: Float = 1, blend: BlendMode = .normal) {
        if !layOpaque(taps, opacity, blend) { layTranslucent(taps, opacity, blend) }
    }

    /// Writes the row with straight alpha and 8 bits a channel. Writes as many pixels as `bytes` has room for.
    package func write(to bytes: UnsafeMutableRawBufferPointer) {
        if isMixed { return ground.write(to: bytes) }
        bytes.copyMemory(
            from: UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(pixels)[..<min(count * 4, bytes.count)]))
    }

    /// Draws a layer in the fast way that is possible if all its tiles are opaque. If a pixel takes a texel of a
    /// tile that is not opaque, the method does not change the row and returns false.
    private mutating func layOpaque(_ taps: [WarpTap], _ opacity: Float, _ blend: BlendMode) -> Bool {
        let sums = sums
        sums.update(repeating: .zero)
        for tap in taps {
            let weight = UInt16(truncatingIfNeeded: tap.weight)
            let isDone = tap.mosaic.sample(tap.line, quads: sums.count, where: \.isOpaque) { quad, texels, parts in
                sums[quad].add(texels, parts, weight: weight)
            }
            guard isDone else { return false }
        }
        if opacity == 1, blend == .normal, sums.allSatisfy(\.isOpaque) {
            for index in sums.indices { pixels[index] = sums[index].pixels }
            isMixed = false
            return true
        }
        mix()
        blend.lay(sums.count, opacity, on: ground) { sums[$0].isTransparent ? nil : PixelQuad(sums[$0]) }
        return true
    }

    private mutating func layTranslucent(_ taps: [WarpTap], _ opacity: Float, _ blend: BlendMode) {
        let layer = layer
        layer.update(repeating: .transparent)
        for tap in taps {
            let weight = Float(tap.weight) / 256
            _ = tap.mosaic.sample(tap.line, quads: layer.count, where: { _ in true }) { quad, texels, parts in
                if !texels.isTransparent { layer[quad] += PixelQuad(texels, parts) * weight }
            }
        }
        mix()
        blend.lay(layer.count, opacity, on: ground) { layer[$0].isTransparent ? nil : layer[$0] }
    }

    /// Converts the content of the row from `pixels` to `ground`.
    private mutating func mix() {
        guard !isMixed else { return }
        isMixed = true
        for index in pixels.indices { ground[index] = PixelQuad(straight: pixels[index], opacity: 1) }
    }
}

extension BlendMode {
    /// Draws groups of four pixels over `quads`. There are `count` groups. `source` returns the premultiplied pixels of
    /// a group, or nil if the group does not change.
    @inline(__always)
    func lay(
        _ count: Int, _ opacity: Float, on quads: UnsafeMutableBufferPointer<PixelQuad>, source: (Int) -> PixelQuad?
    ) {
        func each(_ blended: (PixelQuad, PixelQuad) -> PixelQuad) {
            for index in 0..<count {
                guard let quad = source(index) else { continue }
                quads[index] = blended(quads[index], opacity == 1 ? quad : quad * opacity)
            }
        }
        switch self {
        case .normal: each { $0.under($1) }
        case .multiply: each { $0.under($1, term: PixelQuad.multiply) }
        case .screen: each { $0.under($1, term: PixelQuad.screen) }
        case .overlay: each { $0.under($1, term: PixelQuad.overlay) }
        case .darken: each { $0.under($1, term: PixelQuad.darken) }
        case .lighten: each { $0.under($1, term: PixelQuad.lighten) }
        }
    }
}

extension PixelQuad {
    @inline(__always)
    fileprivate var isTransparent: Bool {
        (alpha.x + alpha.y) + (alpha.z + alpha.w) == 0
    }
}
