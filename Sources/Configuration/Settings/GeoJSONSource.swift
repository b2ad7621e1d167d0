import Raster

/// A GeoJSON file (RFC 7946), and how it is drawn; what is nil is the layer's own. Lengths are in points, 0…64; a fully
/// transparent colour draws nothing.
public struct GeoJSONSource: Sendable, Equatable {
    /// Absolute or relative to the working directory.
    public var path: String
    /// The inside of areas.
    public var fill: RGBA?
    /// Lines, and the outlines of areas.
    public var stroke: RGBA?
    /// How wide those are.
    public var width: Double?
    /// The disc of a point, without its outline.
    public var pointRadius: Double?
    /// The colour of the disc.
    public var pointFill: RGBA?
    /// The outline of the disc.
    public var pointStroke: RGBA?
    /// How wide that is.
    public var pointStrokeWidth: Double?
    /// Whether a feature's own properties change the style (simplestyle-spec 1.1.0).
    public var simplestyle = true

    /// The file at `path` in the layer's own style.
    public init(path: String) {
        self.path = path
    }
}
