import Bytes
import MapGeometry
import MapService
import Raster

/// Reads the two path segments after `/{map}/static/`, which are the view and the size of the image. The view is
/// `{lon},{lat},{zoom}[@{bearing}[,{tilt}]]` or `{west},{south},{east},{north}`. The size is
/// `{w}x{h}[@{s}x].{png|jpg|…}`.
struct StaticPath: Sendable, Equatable {
    let subject: MapPicture.Subject
    let size: ImageSize
    let form: ImageForm

    init(subject: UnsafeRawBufferPointer, size: UnsafeRawBufferPointer) throws(CameraRequestError) {
        try self.init(subject: String(decoding: subject, as: UTF8.self), size: String(decoding: size, as: UTF8.self))
    }

    init(subject: String, size: String) throws(CameraRequestError) {
        self.subject = try Self.subject(subject)
        (self.size, form) = try Self.image(size)
    }

    static func subject(_ text: String) throws(CameraRequestError) -> MapPicture.Subject {
        let parts = text.split(separator: "@", omittingEmptySubsequences: false)
        guard parts.count <= 2, let values = numbers(parts[0]) else { throw malformedSubject }
        if parts.count == 1, values.count == 4 {
            return .bounds(try bounds(west: values[0], south: values[1], east: values[2], north: values[3]))
        }
        guard values.count == 3, let turn = parts.count == 2 ? numbers(parts[1]) : [], turn.count <= 2,
            parts.count == 1 || !turn.isEmpty
        else { throw malformedSubject }
        // A camera with a latitude beyond 90 is usually one whose two numbers are in the wrong order.
        guard abs(values[1]) <= 90 else { throw .latitude(values[1], "camera") }
        return try CameraRequestError.translating {
            .camera(
                try CameraPosition.checked(
                    latitude: values[1], longitude: values[0], zoom: values[2], bearing: turn.first ?? 0,
                    viewingAngle: turn.count == 2 ? turn[1] : 0))
        }
    }

    private static func bounds(
        west: Double, south: Double, east: Double, north: Double
    ) throws(CameraRequestError) -> CoordinateBounds {
        guard let southWest = Coordinate(validating: south, longitude: west),
            let northEast = Coordinate(validating: north, longitude: east)
        else { throw .latitude(abs(south) > 90 ? south : north, "camera") }
        return try CameraRequestError.translating {
            try CoordinateBounds.checked(southWest: southWest, northEast: northEast)
        }
    }

    /// Returns the numbers. Nil if one of them is invalid.
    private static func numbers(_ text: Substring) -> [Double]? {
        let parts = text.split(separator: ",", omittingEmptySubsequences: false)
        let numbers = parts.compactMap { Double(parameter: $0) }
        return numbers.count == parts.count ? numbers : nil
    }

    static func image(_ text: String) throws(CameraRequestError) -> (ImageSize, ImageForm) {
        guard let dot = text.lastIndex(of: "."), let form = ImageForm(suffix: String(text[dot...].dropFirst())) else {
            throw malformedSize
        }
        return (try size(text[..<dot]), form)
    }

    private static func size(_ text: Substring) throws(CameraRequestError) -> ImageSize {
        let parts = text.split(separator: "@", omittingEmptySubsequences: false)
        let sides = parts[0].split(separator: "x", omittingEmptySubsequences: false)
        guard parts.count <= 2, sides.count == 2, let width = ASCII.canonicalDecimal(Array(sides[0].utf8)),
            let height = ASCII.canonicalDecimal(Array(sides[1].utf8)),
            let scale = parts.count == 2 ? Self.scale(parts[1]) : 1
        else { throw malformedSize }
        guard let size = ImageSize(fitting: width, height, scale: scale) else { throw ImageSize.fault }
        return size
    }

    private static func scale(_ text: Substring) -> Int? {
        ["1x": 1, "2x": 2, "3x": 3, "4x": 4][String(text)]
    }

    private static let malformedSubject = CameraRequestError.malformed(
        "camera", expected: "lon,lat,zoom[@bearing[,tilt]] or west,south,east,north")
    private static let malformedSize = CameraRequestError.bad(
        "size", "Expected {width}x{height}[@2x]\(ImageForm.usualSuffixes).")
}
