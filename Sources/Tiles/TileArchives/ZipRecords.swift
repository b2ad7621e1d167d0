/// Encodes the records of a ZIP archive: the headers of files, and the end of the archive (APPNOTE.TXT 6.3.10, section
/// 4.3).
enum ZipRecords {
    /// A file in the ZIP archive. The archive stores the content of the file without compression.
    struct Entry {
        /// The name, in ASCII.
        let name: [UInt8]
        let checksum: UInt32
        let size: UInt32
        /// Where the entry's header begins.
        let offset: UInt64

        /// The header before the content (4.3.7).
        var header: [UInt8] {
            var bytes = Fields()
            bytes.add(0x0403_4B50 as UInt32)
            addCommon(&bytes, version: 20)
            bytes.add(0 as UInt16)
            return bytes.bytes + name
        }

        /// The header in the central directory (4.3.12).
        var directoryHeader: [UInt8] {
            var bytes = Fields()
            let isFar = offset >= UInt32.max
            bytes.add(0x0201_4B50 as UInt32)
            // Made on Unix, so that programs apply the file mode below.
            bytes.add(0x0300 | ZipRecords.newest)
            addCommon(&bytes, version: isFar ? ZipRecords.newest : 20)
            bytes.add(isFar ? 12 : 0 as UInt16)
            // No comment, the first disk, and no internal attributes.
            for _ in 0..<3 { bytes.add(0 as UInt16) }
            // A regular file with the mode 644.
            bytes.add(0o100644 << 16 as UInt32)
            bytes.add(UInt32(clamping: offset))
            bytes.bytes += name
            guard isFar else { return bytes.bytes }
            // ZIP64 extended information (4.5.3).
            bytes.add(1 as UInt16)
            bytes.add(8 as UInt16)
            bytes.add(offset)
            return bytes.bytes
        }

        /// Appends the fields that `header` and `directoryHeader` have in common, from the version to the length of the
        /// name. `version` is the ZIP version that a reader needs, times ten: 20 or 45.
        private func addCommon(_ bytes: inout Fields, version: UInt16) {
            bytes.add(version)
            // No flags, and no compression. The time is midnight, and the day is 1 January 1980, the earliest one.
            for field in [0, 0, 0, 1 << 5 | 1] as [UInt16] { bytes.add(field) }
            bytes.add(checksum)
            bytes.add(size)
            bytes.add(size)
            bytes.add(UInt16(truncatingIfNeeded: name.count))
        }
    }

    /// The version that reads ZIP64.
    private static let newest: UInt16 = 45

    /// Returns the records at the end of the archive, after the central directory (4.3.14 to 4.3.16). `entries` is the
    /// number of files in the archive. `directory` is the position of the central directory, as a range of bytes.
    static func end(entries: UInt64, directory: Range<UInt64>) -> [UInt8] {
        var bytes = Fields()
        let size = directory.upperBound - directory.lowerBound
        if entries >= UInt16.max || size >= UInt32.max || directory.lowerBound >= UInt32.max {
            bytes.add(0x0606_4B50 as UInt32)
            bytes.add(44 as UInt64)
            bytes.add(0x0300 | newest)
            bytes.add(newest)
            bytes.add(0 as UInt64)
            for field in [entries, entries, size, directory.lowerBound] { bytes.add(field) }
            // The locator of the record above.
            bytes.add(0x0706_4B50 as UInt32)
            bytes.add(0 as UInt32)
            bytes.add(directory.upperBound)
            bytes.add(1 as UInt32)
        }
        bytes.add(0x0605_4B50 as UInt32)
        bytes.add(0 as UInt32)
        bytes.add(UInt16(clamping: entries))
        bytes.add(UInt16(clamping: entries))
        bytes.add(UInt32(clamping: size))
        bytes.add(UInt32(clamping: directory.lowerBound))
        bytes.add(0 as UInt16)
        return bytes.bytes
    }

    /// Numbers in little-endian order.
    private struct Fields {
        var bytes: [UInt8] = []

        mutating func add(_ number: some FixedWidthInteger & UnsignedInteger) {
            withUnsafeBytes(of: number.littleEndian) { bytes.append(contentsOf: $0) }
        }
    }
}
