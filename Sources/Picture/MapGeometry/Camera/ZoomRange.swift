/// The zooms a map's camera may have, within 0…30 (docs/spec/model.md 6.3).
public struct ZoomRange: Hashable, Sendable {
    /// The farthest.
    public let minimum: Double
    /// The closest; at least `minimum`.
    public let maximum: Double

    /// What a map has that names none: 0…21.
    public static let standard = ZoomRange(ordered: 0, 21)

    /// The SDK's constants, kGMSMinZoomLevel and kGMSMaxZoomLevel: 2…21 (docs/spec/model.md Q1). `CameraPosition.zoom` says what
    /// is seen at which zoom.
    public static let sdk = ZoomRange(ordered: 2, 21)

    /// Throws `zoomRangeInverted` when `minimum` is above `maximum`, as the SDK raises NSRangeException, and
    /// `outOfRange` for zooms outside 0…30.
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
