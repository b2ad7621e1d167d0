import Bytes
import MapService

/// The two segments behind `/{map}/static/`: `{lon},{lat},{zoom}[@{bearing}[,{tilt}]]` or `{west},{south},{east},{north}`, and
/// `{w}x{h}[@{s}x].png`.
extension StaticPath {
    init(subject: UnsafeRawBufferPointer, size: UnsafeRawBufferPointer) throws(CameraFault) {
        try self.init(subject: String(decoding: subject, as: UTF8.self), size: String(decoding: size, as: UTF8.self))
    }

    init(subject: String, size: String) throws(CameraFault) {
        let (width, height, scale) = try Self.size(size)
        self.init(subject: try Self.subject(subject), width: width, height: height, scale: scale)
    }

    private static func subject(_ text: String) throws(CameraFault) -> Subject {
        let parts = text.split(separator: "@", omittingEmptySubsequences: false)
        guard parts.count <= 2, let place = numbers(parts[0]) else { throw malformedSubject }
        if parts.count == 1, place.count == 4 {
            return .box(west: place[0], south: place[1], east: place[2], north: place[3])
        }
        guard place.count == 3, let turn = parts.count == 2 ? numbers(parts[1]) : [], turn.count <= 2,
            parts.count == 1 || !turn.isEmpty
        else { throw malformedSubject }
        return .camera(
            longitude: place[0], latitude: place[1], zoom: place[2], bearing: turn.first ?? 0,
            viewingAngle: turn.count == 2 ? turn[1] : 0)
    }

    /// Nil where one of them is no number.
    private static func numbers(_ text: Substring) -> [Double]? {
        let parts = text.split(separator: ",", omittingEmptySubsequences: false)
        let numbers = parts.compactMap { Double(parameter: $0) }
        return numbers.count == parts.count ? numbers : nil
    }

    private static func size(_ text: String) throws(CameraFault) -> (Int, Int, Int) {
        guard text.hasSuffix(".png") else { throw malformedSize }
        let parts = text.dropLast(4).split(separator: "@", omittingEmptySubsequences: false)
        let sides = parts[0].split(separator: "x", omittingEmptySubsequences: false)
        guard parts.count <= 2, sides.count == 2, let width = ASCII.canonicalDecimal(Array(sides[0].utf8)),
            let height = ASCII.canonicalDecimal(Array(sides[1].utf8)),
            let scale = parts.count == 2 ? Self.scale(parts[1]) : 1
        else { throw malformedSize }
        guard (1...longestSide).contains(width), (1...longestSide).contains(height) else { throw largeSize }
        // At most 2^14 a side: no overflow.
        guard max(width, height) * scale <= longestSide, width * height * scale * scale <= mostPixels else {
            throw largeSize
        }
        return (width, height, scale)
    }

    private static func scale(_ text: Substring) -> Int? {
        ["1x": 1, "2x": 2, "3x": 3, "4x": 4][String(text)]
    }

    private static let malformedSubject = CameraFault.malformed(
        "camera", expected: "lon,lat,zoom[@bearing[,tilt]] or west,south,east,north")
    private static let malformedSize = CameraFault.malformed("size", expected: "{width}x{height}[@2x].png")
    private static let largeSize = CameraFault.malformed(
        "size", expected: "1…4,096 pixels a side and at most 8,388,608 in all")
}
