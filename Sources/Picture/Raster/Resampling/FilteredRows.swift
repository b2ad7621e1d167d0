/// Scales a picture in two steps. First, the rows of the picture are scaled along x. Then several of these rows are
/// combined to one row of the result. The type keeps the last four scaled rows for the next row of the result.
struct FilteredRows: ~Copyable {
    private let width: Int
    private let height: Int
    private let columns: AxisFilter
    private let curve: TransferCurve
    /// One row of the pixmap, premultiplied, with all texels of `columns`.
    private let texels: UnsafeMutableBufferPointer<SIMD4<Float>>
    /// The last filtered rows, followed by the row of the result that is being computed.
    private let quads: UnsafeMutableBufferPointer<PixelQuad>
    private let quadsPerRow: Int
    /// The row of the pixmap that each place in `quads` holds, or -1.
    private var held = [Int](repeating: -1, count: Self.kept)

    /// The number of kept rows. A cubic curve needs four. Four consecutive rows always have different places.
    private static let kept = 4

    init(_ pixmap: Pixmap, _ columns: AxisFilter, _ curve: TransferCurve) {
        width = pixmap.width
        height = pixmap.height
        self.columns = columns
        self.curve = curve
        quadsPerRow = (columns.firsts.count + 3) / 4
        texels = .allocate(capacity: columns.texels.count)
        texels.initialize(repeating: .zero)
        quads = .allocate(capacity: quadsPerRow * (Self.kept + 1))
        quads.initialize(repeating: .transparent)
    }

    deinit {
        texels.deallocate()
        quads.deallocate()
    }

    /// Computes the row `row` of the result and writes it to `bytes`. `rows` says which rows of the original picture
    /// are combined, and `pixels` has the pixels of that picture.
    mutating func write(
        _ row: Int, _ rows: AxisFilter, of pixels: UnsafeRawBufferPointer, to bytes: UnsafeMutableRawBufferPointer
    ) {
        let sum = UnsafeMutableBufferPointer(rebasing: quads[(Self.kept * quadsPerRow)...])
        if rows.isShrinking {
            sum.update(repeating: .transparent)
            for tap in 0..<rows.tapCount {
                let weight = rows.weights[row * rows.tapCount + tap]
                if weight != 0 { sum.add(filtered(rows.firsts[row] + tap, of: pixels), weight) }
            }
        } else {
            let first = rows.firsts[row]
            sum.interpolate(
                filtered(first, of: pixels), filtered(first + 1, of: pixels), filtered(first + 2, of: pixels),
                filtered(first + 3, of: pixels), rows.curve(at: row))
        }
        if let steps = curve.steps { sum.write(to: bytes, steps) } else { sum.write(to: bytes) }
    }

    /// Returns a row of the original picture, scaled along x. For a row outside the picture, returns its first or last
    /// row.
    private mutating func filtered(
        _ row: Int, of pixels: UnsafeRawBufferPointer
    ) -> UnsafeMutableBufferPointer<PixelQuad> {
        let row = min(max(row, 0), height - 1)
        let place = row % Self.kept
        let result = UnsafeMutableBufferPointer(rebasing: quads[(place * quadsPerRow)...].prefix(quadsPerRow))
        guard held[place] != row else { return result }
        held[place] = row
        decode(UnsafeRawBufferPointer(rebasing: pixels[(row * width * 4)...].prefix(width * 4)))
        if columns.isShrinking { average(result) } else { interpolate(result) }
        return result
    }

    /// Fills `texels` from a row of the pixmap. Texels outside the row repeat its first or last pixel.
    private func decode(_ pixels: UnsafeRawBufferPointer) {
        let (first, end) = (columns.texels.lowerBound, columns.texels.upperBound)
        let inside = max(first, 0)..<max(first, 0, min(end, width))
        curve.decoded.withUnsafeBufferPointer { decoded in
            func texel(_ column: Int) -> SIMD4<Float> {
                let place = column * 4
                let color = SIMD4(
                    decoded[Int(pixels[place])], decoded[Int(pixels[place + 1])], decoded[Int(pixels[place + 2])], 1)
                return color * (Float(pixels[place + 3]) / 255)
            }
            for column in inside { texels[column - first] = texel(column) }
            texels[..<(min(inside.lowerBound, end) - first)].update(repeating: texel(0))
            texels[(min(inside.upperBound, end) - first)...].update(repeating: texel(width - 1))
        }
    }

    private func average(_ result: UnsafeMutableBufferPointer<PixelQuad>) {
        let taps = columns.tapCount
        columns.weights.withUnsafeBufferPointer { weights in
            each(result) { first, index in
                var sum = texels[first] * weights[index * taps]
                for tap in 1..<taps { sum += texels[first + tap] * weights[index * taps + tap] }
                return sum
            }
        }
    }

    private func interpolate(_ result: UnsafeMutableBufferPointer<PixelQuad>) {
        columns.weights.withUnsafeBytes { weights in
            each(result) { first, index in
                let weight = weights.loadUnaligned(fromByteOffset: index * 16, as: SIMD4<Float>.self)
                return .curve(texels[first], texels[first + 1], texels[first + 2], texels[first + 3], weight)
            }
        }
    }

    /// Computes all pixels of `result` with the function `pixel`. Its parameters are the index of the first texel that
    /// the pixel needs, and the index of the pixel.
    @inline(__always)
    private func each(_ result: UnsafeMutableBufferPointer<PixelQuad>, pixel: (Int, Int) -> SIMD4<Float>) {
        let (offset, last) = (columns.texels.lowerBound, columns.firsts.count - 1)
        columns.firsts.withUnsafeBufferPointer { firsts in
            func filtered(_ index: Int) -> SIMD4<Float> {
                // The last quad repeats the last pixel if it is not full.
                let index = min(index, last)
                return pixel(firsts[index] - offset, index)
            }
            for place in result.indices {
                let index = place * 4
                result[place] = PixelQuad(
                    red: filtered(index), green: filtered(index + 1), blue: filtered(index + 2),
                    alpha: filtered(index + 3))
            }
        }
        // The transposition has a loop of its own. In a single loop the compiler would compute each channel of each
        // pixel separately.
        for place in result.indices { result[place] = result[place].transposed }
    }
}
