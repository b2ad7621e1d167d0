import Bytes
import HTTPServer

/// What can be asked about a map's camera: the last parts of the path behind the map's name.
enum CameraQuestion {
    case camera, animation, forBounds
    case point, coordinate, visibleRegion, pointsForMeters, contains
    case cover

    /// Nil where the segments behind the map's name are none of these.
    init?(_ segments: ArraySlice<UnsafeRawBufferPointer>) {
        guard let first = segments.first else { return nil }
        let second = segments.dropFirst().first
        switch segments.count {
        case 1 where first.equals("camera"): self = .camera
        case 1 where first.equals("cover"): self = .cover
        case 2 where first.equals("camera"):
            guard let second else { return nil }
            if second.equals("animation") {
                self = .animation
            } else if second.equals("for-bounds") {
                self = .forBounds
            } else {
                return nil
            }
        case 2 where first.equals("projection"):
            guard let second, let question = Self.projection(second) else { return nil }
            self = question
        default: return nil
        }
    }

    private static func projection(_ name: UnsafeRawBufferPointer) -> CameraQuestion? {
        if name.equals("point") { return .point }
        if name.equals("coordinate") { return .coordinate }
        if name.equals("visible-region") { return .visibleRegion }
        if name.equals("points-for-meters") { return .pointsForMeters }
        return name.equals("contains") ? .contains : nil
    }

    /// Whether the question can be asked by GET, and by POST.
    var reads: Bool { self != .animation }
    var posts: Bool { self == .animation || self == .camera }
}
