import Raster
import Tiles

/// The pixels of a generator's answer.
package func image(_ tile: SyncTile?) throws -> Pixmap {
    guard case .image(let pixmap) = tile else { throw NoImage() }
    return pixmap
}

struct NoImage: Error {}

extension Pixmap {
    /// A square cut out.
    package func part(left: Int, top: Int, side: Int) -> Pixmap {
        var part = Pixmap(width: side, height: side)
        for row in 0..<side {
            let start = ((top + row) * width + left) * 4
            part.bytes.replaceSubrange(row * side * 4..<(row + 1) * side * 4, with: bytes[start..<start + side * 4])
        }
        return part
    }

    /// Half as wide and high, each pixel the mean of four.
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

    /// The mean difference of red, green and blue, in levels.
    package func difference(from other: Pixmap) -> Double {
        let sum = zip(bytes, other.bytes).reduce(0) { $0 + abs(Int($1.0) - Int($1.1)) }
        return Double(sum) / Double(width * height * 3)
    }

    /// The colour of one pixel.
    package func color(_ column: Int, _ row: Int) -> RGBA {
        let place = (row * width + column) * 4
        return RGBA(red: bytes[place], green: bytes[place + 1], blue: bytes[place + 2], alpha: bytes[place + 3])
    }
}
