import CLibPNG

/// Writes and reads the chunks of which a PNG consists (PNG 5.3). Only PNGs that `PNGEncoder` has written are read.
struct PNGChunks {
    private(set) var bytes: [UInt8]

    /// Creates a writer. The chunks follow the bytes `start`, such as the signature of a file.
    init(_ start: [UInt8] = []) {
        bytes = start
    }

    /// Adds a chunk of less than 2 GiB. `type` is its four-letter type.
    mutating func add(_ type: StaticString, _ data: some Collection<UInt8>) {
        bytes.reserveCapacity(bytes.count + data.count + 12)
        bytes += Self.bigEndian(data.count)
        let start = bytes.count
        bytes += type.withUTF8Buffer { Array($0) }
        bytes += data
        let sum = bytes.withUnsafeBufferPointer { bytes in
            let covered = UnsafeBufferPointer(rebasing: bytes[start...])
            return clibpng_crc(covered.baseAddress, covered.count)
        }
        bytes += Self.bigEndian(Int(sum))
    }

    /// Returns the lower 32 bits of `number` in big-endian order.
    static func bigEndian(_ number: Int) -> [UInt8] {
        [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: number >> $0) }
    }

    /// Returns the data of each IDAT chunk in `png`, which must be a valid PNG.
    static func data(of png: UnsafeRawBufferPointer) -> [UnsafeRawBufferPointer] {
        var found: [UnsafeRawBufferPointer] = []
        var place = PNGHeaderParser.signature.count
        while place + 12 <= png.count {
            let length = Int(UInt32(bigEndian: png.loadUnaligned(fromByteOffset: place, as: UInt32.self)))
            guard place + 12 + length <= png.count else { break }
            if png[(place + 4)..<(place + 8)].elementsEqual("IDAT".utf8) {
                found.append(UnsafeRawBufferPointer(rebasing: png[(place + 8)..<(place + 8 + length)]))
            }
            place += 12 + length
        }
        return found
    }
}
