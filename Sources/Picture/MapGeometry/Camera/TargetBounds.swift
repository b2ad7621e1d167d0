/// Where a camera's target must stay (docs/spec/model.md 6.7). The view may still show what lies outside.
public struct TargetBounds: Hashable, Sendable {
    /// Which cameras the bounds hold.
    public enum Mode: String, Hashable, Sendable, CaseIterable {
        /// Targets of scrolling or zooming: moves of a user, which start from where the camera is.
        case gestures
        /// All, those to a given place included.
        case strict
    }

    /// What holds the target; never empty.
    public let bounds: CoordinateBounds
    /// Which cameras it holds.
    public let mode: Mode

    /// Throws `emptyBounds` when no target would be left.
    public init(_ bounds: CoordinateBounds, mode: Mode = .gestures) throws(CameraError) {
        guard bounds.isValid else { throw .emptyBounds }
        self.bounds = bounds
        self.mode = mode
    }

    /// The targets in `box`.
    package init(_ box: GeographicBox, mode: Mode) {
        (bounds, self.mode) = (CoordinateBounds(box), mode)
    }

    /// `position` with its target moved to the nearest latitude and longitude inside, each by itself. Bounds beyond the
    /// latitudes that a camera may look at count as their edge.
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
