/// The limits that a map sets for its camera, and its rule for tiles (docs/spec/model.md 6).
public struct CameraRules: Hashable, Sendable {
    /// The latitudes that a camera's target may have, in degrees.
    public static let latitudes = -85.0...85.0

    /// The lowest and the highest zoom of the camera.
    public var zoomRange: ZoomRange
    /// True if the map raises the lowest zoom until the world is as tall as the view, but at most to the highest zoom.
    public var fillsViewport: Bool
    /// The greatest viewing angle of the camera at each zoom.
    public var viewingAngleLimit: ViewingAngleLimit
    /// The area that limits the camera's target, the SDK's cameraTargetBounds, or nil.
    public var targetBounds: TargetBounds?
    /// The rule that chooses the level of the tiles for a fractional zoom.
    public var tileZoomRule: TileZoomRule

    /// Creates rules. By default they allow zooms 0…21, the SDK's viewing angles and targets at all of `latitudes`.
    public init(
        zoomRange: ZoomRange = .standard, fillsViewport: Bool = false, viewingAngleLimit: ViewingAngleLimit = .sdk,
        targetBounds: TargetBounds? = nil, tileZoomRule: TileZoomRule = .round
    ) {
        self.zoomRange = zoomRange
        self.fillsViewport = fillsViewport
        self.viewingAngleLimit = viewingAngleLimit
        self.targetBounds = targetBounds
        self.tileZoomRule = tileZoomRule
    }
}
