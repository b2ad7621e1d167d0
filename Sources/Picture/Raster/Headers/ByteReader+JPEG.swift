extension ByteReader {
    /// Walks the marker segments (ITU-T T.81 B.1.1) up to the first scan; the end must be EOI, padding allowed behind
    /// it.
    func parseJPEG() throws(ImageHeaderError) -> ImageHeader {
        var header: ImageHeader?
        var offset = 2
        while true {
            let marker = try marker(at: &offset)
            let length = try bigEndian16(at: offset)
            guard length >= 2 else { throw .structure("a JPEG segment of \(length) bytes") }
            try require(length, at: offset)
            if Self.isFrame(marker) {
                guard header == nil else { throw .structure("two JPEG frames") }
                header = try parseFrame(at: offset, length: length)
            }
            offset += length
            guard marker == 0xDA else { continue }
            guard let header else { throw .structure("a JPEG scan before its frame") }
            try requireEndOfImage(after: offset)
            return header
        }
    }

    /// SOF0…SOF15 without DHT, JPG and DAC, which share their range (T.81 B.1.1.3).
    private static func isFrame(_ marker: Int) -> Bool {
        (0xC0...0xCF).contains(marker) && marker != 0xC4 && marker != 0xC8 && marker != 0xCC
    }

    /// The marker at `offset`, which then stands behind it. Any number of 0xFF may fill the space before (B.1.1.2).
    private func marker(at offset: inout Int) throws(ImageHeaderError) -> Int {
        guard try byte(at: offset) == 0xFF else { throw .structure("no JPEG marker where one must stand") }
        var marker = 0xFF
        while marker == 0xFF {
            offset += 1
            marker = try byte(at: offset)
        }
        offset += 1
        // Stuffed zero, TEM, RSTn, SOI and EOI carry no segment and have no place before a scan.
        guard marker > 0x01, !(0xD0...0xD9).contains(marker) else {
            throw .structure("JPEG marker \(marker) before the first scan")
        }
        return marker
    }

    /// T.81 B.2.2: length, precision, lines, samples a line, components.
    private func parseFrame(at offset: Int, length: Int) throws(ImageHeaderError) -> ImageHeader {
        let precision = try byte(at: offset + 2)
        guard precision == 8 else { throw .depth(bitDepth: precision, colorType: 0) }
        let components = try byte(at: offset + 7)
        guard (1...4).contains(components), length == 8 + 3 * components else {
            throw .structure("a JPEG frame of \(components) components in \(length) bytes")
        }
        return try header(
            .jpeg, width: bigEndian16(at: offset + 5), height: bigEndian16(at: offset + 3), isDeclaredOpaque: true)
    }

    /// How many scans begin in the image, or `limit` if there are as many: no 0xFF in the data of a scan has 0xDA
    /// behind it (T.81 B.1.1.5), though a segment may hold both and count as one too many.
    func countJPEGScans(upTo limit: Int) -> Int {
        var count = 0
        var rest = bytes[...]
        while count < limit, let place = rest.firstIndex(of: 0xFF) {
            rest = rest[(place + 1)...]
            if rest.first == 0xDA { count += 1 }
        }
        return count
    }

    private func requireEndOfImage(after offset: Int) throws(ImageHeaderError) {
        var end = bytes.count
        while end > offset, bytes[end - 1] == 0 || bytes[end - 1] == 0xFF { end -= 1 }
        guard end - offset >= 2, bytes[end - 1] == 0xD9, bytes[end - 2] == 0xFF else {
            throw .truncated(expected: bytes.count + 2, found: bytes.count)
        }
    }
}
