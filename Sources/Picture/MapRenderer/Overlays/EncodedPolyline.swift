import MapGeometry

/// Decodes Google's text format for a line of places. The format rounds latitudes and longitudes and stores the
/// difference from each place to the next. A character has five bits of a difference.
package enum EncodedPolyline {
    /// An error that says why a text is not a line.
    package enum DecodingError: Error, Hashable, Sendable {
        /// A character is not in `?`…`~`. `offset` is counted in bytes from 0.
        case unexpectedCharacter(offset: Int)
        /// The text ends within a number or after a latitude.
        case incomplete
        /// The place that starts at `offset` is beyond a latitude of ±90° or a longitude of ±360°, or the number that
        /// starts there has too many characters.
        case outOfRange(offset: Int)
        /// The text has more than `limit` places.
        case tooMany(limit: Int)
    }

    /// The unit of the numbers is one hundred thousandth of a degree.
    private static let unitsPerDegree = 1e5
    /// The limits in these units. Latitudes beyond the poles are refused. Longitudes may go around the world once.
    private static let limits = (latitude: 9_000_000, longitude: 36_000_000)
    /// The maximum number of characters per number. No difference within the limits needs more characters.
    private static let longest = 6

    /// Decodes the places of `text`. Throws `tooMany` if there are more than `limit`. An empty text has no places.
    package static func decode(_ text: String, limit: Int) throws(DecodingError) -> [Coordinate] {
        let bytes = Array(text.utf8)
        var places: [Coordinate] = []
        var (offset, latitude, longitude) = (0, 0, 0)
        while offset < bytes.count {
            let start = offset
            latitude += try number(bytes, &offset)
            longitude += try number(bytes, &offset)
            guard abs(latitude) <= limits.latitude, abs(longitude) <= limits.longitude,
                // A product with 1e-5 would be more than 90 at the pole.
                let place = Coordinate(
                    validating: Double(latitude) / unitsPerDegree, longitude: Double(longitude) / unitsPerDegree)
            else { throw .outOfRange(offset: start) }
            guard places.count < limit else { throw .tooMany(limit: limit) }
            places.append(place)
        }
        return places
    }

    /// Decodes the number that starts at `offset`, and moves `offset` behind it. The first character has the lowest
    /// bits. The lowest bit is the sign.
    private static func number(_ bytes: [UInt8], _ offset: inout Int) throws(DecodingError) -> Int {
        let start = offset
        var value = 0
        while offset < bytes.count {
            guard (63...126).contains(bytes[offset]) else { throw .unexpectedCharacter(offset: offset) }
            let bits = Int(bytes[offset]) - 63
            guard offset - start < longest else { throw .outOfRange(offset: start) }
            value |= (bits & 31) << (5 * (offset - start))
            offset += 1
            if bits < 32 { return value & 1 == 0 ? value >> 1 : -(value >> 1) - 1 }
        }
        throw .incomplete
    }
}
