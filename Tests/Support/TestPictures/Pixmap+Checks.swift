import Raster
import Tiles

/// Returns the pixels of a generator's tile. Throws `NoImage` if the tile is not an image.
package func image(_ tile: SyncTile?) throws -> Pixmap {
    guard case .image(let pixmap) = tile else { throw NoImage() }
    return pixmap
}

struct NoImage: Error {}

extension Pixmap {
    /// Returns the square of `side` pixels at `left` and `top`.
    package func part(left: Int, top: Int, side: Int) -> Pixmap {
        var part = Pixmap(width: side, height: side)
        for row in 0..<side {
            let start = ((top + row) * width + left) * 4
            part.bytes.replaceSubrange(row * side * 4..<(row + 1) * side * 4, with: bytes[start..<start + side * 4])
        }
        return part
    }

    /// Returns the picture at half its width and height. Each pixel is the mean of four pixels.
    package func halved() -> Pixmap {
        var half = Pixmap(width: width / 2, height: height / 2)
        for place in half.bytes.indices {
            let (row, column, channel) = (place / (width * 2), place / 4 % (width / 2), place % 4)
            let first = (row * 2 * width + column * 2) * 4 + channel
            let sum = [first, first + 4, first + width * 4, first + width * 4 + 4].reduce(0) { $0 + Int(bytes[$1]) }
            half.bytes[place] = UInt8((sum + 2) / 4)
        }
        return half
    }

    /// Returns the mean difference of red, green and blue, in levels (0 to 255). Ignores alpha.
    package func difference(from other: Pixmap) -> Double {
        let sum = zip(bytes, other.bytes).reduce(0) { $0 + abs(Int($1.0) - Int($1.1)) }
        return Double(sum) / Double(width * height * 3)
    }

    /// Returns the colour of one pixel.
    package func color(_ column: Int, _ row: Int) -> RGBA {
        let place = (row * width + column) * 4
        return RGBA(red: bytes[place], green: bytes[place + 1], blue: bytes[place + 2], alpha: bytes[place + 3])
    }
}
