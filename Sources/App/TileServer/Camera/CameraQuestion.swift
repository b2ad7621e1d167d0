/// What can be asked about a map's camera: the last parts of the path behind the map's name.
enum CameraQuestion: String {
    case camera
    case animation = "camera/animation"
    case forBounds = "camera/for-bounds"
    case point = "projection/point"
    case coordinate = "projection/coordinate"
    case visibleRegion = "projection/visible-region"
    case pointsForMeters = "projection/points-for-meters"
    case contains = "projection/contains"
    case cover

    /// Nil where the segments behind the map's name are none of these.
    init?(_ segments: ArraySlice<UnsafeRawBufferPointer>) {
        // No segment has a slash: `PathSegments` makes another byte of `%2F`. What is too long is no question, and is not copied.
        guard 1...2 ~= segments.count, segments.allSatisfy({ $0.count <= 17 }) else { return nil }
        self.init(rawValue: segments.map { String(decoding: $0, as: UTF8.self) }.joined(separator: "/"))
    }

    /// Whether the question can be asked by GET, and by POST.
    var reads: Bool { self != .animation }
    var posts: Bool { self == .animation || self == .camera }
}
