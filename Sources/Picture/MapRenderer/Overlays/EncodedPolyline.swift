import MapGeometry

/// Google's text form of a line: differences of rounded degrees, five bits a character.
package enum EncodedPolyline {
    /// Why a text is no line.
    package enum DecodingError: Error, Hashable, Sendable {
        /// A character that is not in `?`…`~`; places are counted in bytes from 0.
        case unexpectedCharacter(offset: Int)
        /// The text ends within a number, or after a latitude.
        case incomplete
        /// A number that starts here has more digits than any place needs, or leads off the globe.
        case outOfRange(offset: Int)
        /// There are more places than were allowed.
        case tooMany(limit: Int)
    }

    /// Hundred thousandths of a degree.
    private static let unit = 1e-5
    /// Latitudes beyond the poles are refused; longitudes may go around the world once.
    private static let limits = (latitude: 9_000_000, longitude: 36_000_000)
    /// Characters of a number: more than any difference within the limits has.
    private static let longest = 6

    /// The places of `text`, at most `limit`; none if it is empty.
    package static func decode(_ text: String, limit: Int) throws(DecodingError) -> [Coordinate] {
        let bytes = Array(text.utf8)
        var places: [Coordinate] = []
        var (offset, latitude, longitude) = (0, 0, 0)
        while offset < bytes.count {
            let start = offset
            latitude += try number(bytes, &offset)
            longitude += try number(bytes, &offset)
            guard abs(latitude) <= limits.latitude, abs(longitude) <= limits.longitude,
                let place = Coordinate(
                    latitude: Double(latitude) * unit, longitude: Double(longitude) * unit)
            else { throw .outOfRange(offset: start) }
            guard places.count < limit else { throw .tooMany(limit: limit) }
            places.append(place)
        }
        return places
    }

    /// The number that begins at `offset`: the lowest bits first, the sign in the very lowest.
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
