/// What a map allows its camera, whatever the view (docs/spec/model.md 6).
public struct CameraRules: Hashable, Sendable {
    /// The latitudes a camera may look at, in degrees.
    public static let latitudes = -85.0...85.0

    public let zoomRange: ZoomRange
    /// Whether a view is never taller than the world.
    public let fillsViewport: Bool
    public let viewingAngleLimit: ViewingAngleLimit
    /// Where the target must stay; nil allows all the world.
    public let targetBounds: TargetBounds?
    public let tileZoomRule: TileZoomRule

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
