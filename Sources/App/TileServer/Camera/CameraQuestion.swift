/// The questions about a map's camera that a client can ask over HTTP. The raw value is the end of the URL path, after
/// the name of the map.
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

    /// Returns nil if the segments after the map's name are no question.
    init?(_ segments: ArraySlice<UnsafeRawBufferPointer>) {
        // No segment contains a slash, because `PathSegments` replaces `%2F` by another byte. A segment that is too
        // long is not copied.
        guard 1...2 ~= segments.count, segments.allSatisfy({ $0.count <= 17 }) else { return nil }
        self.init(rawValue: segments.map { String(decoding: $0, as: UTF8.self) }.joined(separator: "/"))
    }

    /// True if the question can be asked by GET. `posts` is the same for POST.
    var reads: Bool { self != .animation }
    var posts: Bool { self == .animation || self == .camera }
}
