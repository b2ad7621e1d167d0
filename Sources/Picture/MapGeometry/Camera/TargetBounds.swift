/// The area in which a camera's target must stay (docs/spec/model.md 6.7). The view may still show places outside the
/// area.
public struct TargetBounds: Hashable, Sendable {
    /// The camera moves that the bounds limit.
    public enum Mode: String, Hashable, Sendable, CaseIterable {
        /// Limits only scrolling and zooming: moves of a user that start at the current camera.
        case gestures
        /// Limits all moves, including moves to a given place.
        case strict
    }

    /// The allowed area, which is never empty.
    public let bounds: CoordinateBounds
    /// The camera moves that the bounds limit.
    public let mode: Mode

    /// Creates target bounds. Throws `emptyBounds` if `bounds` contain no place.
    public init(_ bounds: CoordinateBounds, mode: Mode = .gestures) throws(CameraError) {
        guard bounds.isValid else { throw .emptyBounds }
        self.bounds = bounds
        self.mode = mode
    }

    /// Creates target bounds that allow the places of `box`.
    package init(_ box: GeographicBox, mode: Mode) {
        (bounds, self.mode) = (CoordinateBounds(box), mode)
    }

    /// Returns `position` with its target moved into the bounds. Latitude and longitude move to their nearest allowed
    /// values independently. Bounds beyond the latitudes that a camera may have are clamped to these latitudes.
    func clamp(_ position: CameraPosition) -> CameraPosition {
        guard let box = bounds.box else { return position }
        let latitudes = CameraRules.latitudes
        let south = box.south.clamped(to: latitudes)
        let north = box.north.clamped(to: latitudes)
        return position.with(
            latitude: position.latitude.clamped(to: south...north),
            longitude: box.longitudes.nearest(to: position.longitude))
    }
}
