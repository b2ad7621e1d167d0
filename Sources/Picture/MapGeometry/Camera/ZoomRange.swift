/// The range of zooms that a map allows its camera, within 0…30 (docs/spec/model.md 6.3).
public struct ZoomRange: Hashable, Sendable {
    /// The lowest zoom, at which the camera is farthest.
    public let minimum: Double
    /// The highest zoom, at which the camera is closest. `maximum` is at least `minimum`.
    public let maximum: Double

    /// The range of a map for which no range is given: 0…21.
    public static let standard = ZoomRange(ordered: 0, 21)

    /// The range of the SDK's constants kGMSMinZoomLevel and kGMSMaxZoomLevel: 2…21 (docs/spec/model.md Q1).
    /// `CameraPosition.zoom` lists examples of the area that is visible at a zoom.
    public static let sdk = ZoomRange(ordered: 2, 21)

    /// Creates a range. Throws `zoomRangeInverted` if `minimum` is above `maximum`, where the SDK raises
    /// NSRangeException. Throws `outOfRange` for zooms outside 0…30, and `notFinite` for NaN and infinities.
    public init(minimum: Double, maximum: Double) throws(CameraError) {
        let allowed = 0...Double(TileCoordinate.maxZoom)
        let (low, high) = (try minimum.within(allowed, .minZoom), try maximum.within(allowed, .maxZoom))
        guard low <= high else { throw .zoomRangeInverted(minimum: low, maximum: high) }
        self.init(ordered: low, high)
    }

    private init(ordered minimum: Double, _ maximum: Double) {
        self.minimum = minimum
        self.maximum = maximum
    }
}
