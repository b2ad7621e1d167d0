/// What is seen on an image, and how large it is.
package struct StaticPath: Sendable, Equatable {
    package enum Subject: Sendable, Equatable {
        case camera(longitude: Double, latitude: Double, zoom: Double, bearing: Double, viewingAngle: Double)
        case box(west: Double, south: Double, east: Double, north: Double)
    }

    package let subject: Subject
    /// In points, whole numbers.
    package let width: Int
    package let height: Int
    /// Pixels per point, 1…4.
    package let scale: Int

    /// The longest side in pixels and the most pixels (docs/spec/model.md ruling 3).
    package static let longestSide = 4_096
    package static let mostPixels = 8_388_608

    /// The limits are the caller's to check.
    package init(subject: Subject, width: Int, height: Int, scale: Int) {
        self.subject = subject
        self.width = width
        self.height = height
        self.scale = scale
    }
}
