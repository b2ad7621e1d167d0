/// What a map allows its camera, whatever the view (docs/spec/model.md 6).
public struct CameraRules: Hashable, Sendable {
    /// The latitudes a camera may look at, in degrees.
    public static let latitudes = -85.0...85.0

    /// How far and how close the camera may be.
    public var zoomRange: ZoomRange
    /// Whether a view is never taller than the world.
    public var fillsViewport: Bool
    /// How far the camera may tilt.
    public var viewingAngleLimit: ViewingAngleLimit
    /// Where the target must stay, the SDK's cameraTargetBounds; nil allows all the world.
    public var targetBounds: TargetBounds?
    /// Which tiles a fractional zoom is drawn with.
    public var tileZoomRule: TileZoomRule

    /// What a map allows that says nothing: zooms 0…21, the SDK's viewing angles, all the world.
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
