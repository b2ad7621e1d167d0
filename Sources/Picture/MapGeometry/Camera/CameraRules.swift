/// The limits that a map sets for its camera, independent of the view (docs/spec/model.md 6).
public struct CameraRules: Hashable, Sendable {
    /// The latitudes that a camera's target may have, in degrees.
    public static let latitudes = -85.0...85.0

    /// The lowest and the highest zoom of the camera.
    public var zoomRange: ZoomRange
    /// True if the world always fills the height of the view. The map then raises the lowest zoom.
    public var fillsViewport: Bool
    /// The greatest viewing angle of the camera at each zoom.
    public var viewingAngleLimit: ViewingAngleLimit
    /// The area in which the camera's target must stay, the SDK's cameraTargetBounds. Nil allows the whole world.
    public var targetBounds: TargetBounds?
    /// The rule that chooses the level of the tiles for a fractional zoom.
    public var tileZoomRule: TileZoomRule

    /// Creates rules. By default they allow zooms 0…21, the SDK's viewing angles and targets in the whole world.
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
