import MapGeometry
import Tiles

/// A tile that an export could not write, and the reason.
public struct FailedTile: Sendable, Hashable {
    /// The tile.
    public let tile: TileCoordinate
    /// The reason.
    public let reason: Reason

    /// The reason why an export could not write a tile.
    public enum Reason: Sendable, Hashable {
        /// The tile is unavailable at the moment. The associated value is the cause, such as a timeout of the source.
        case unavailable(Unavailability)
        /// Some layers of the map have no tile at the moment. The associated value has the names of these layers. The
        /// export does not write an incomplete tile of a map.
        case withoutLayers([String])
        /// The tile is unavailable at the moment, and the server has only an enlarged tile of a lower zoom. The
        /// export does not write the enlarged tile.
        case enlarged
    }

    package init(_ tile: TileCoordinate, _ reason: Reason) { (self.tile, self.reason) = (tile, reason) }
}

extension FailedTile: CustomStringConvertible {
    /// The tile as zoom, column and row, and the reason, such as `3/4/2 the source did not answer in time`.
    public var description: String { "\(tile) \(reason)" }
}

extension FailedTile.Reason: CustomStringConvertible {
    /// The reason as a sentence without a full stop.
    public var description: String {
        switch self {
        case .unavailable(let reason): reason.sentence
        case .withoutLayers(let layers): "the map lacks the tile of \(layers.joined(separator: " and "))"
        case .enlarged: "the source failed, and only an enlarged tile was there"
        }
    }

    /// Number of seconds to wait before another attempt, 1…30. Nil if another attempt would not help.
    var pause: Int? {
        switch self {
        case .unavailable(.upstreamDown(let seconds)), .unavailable(.backingOff(let seconds)):
            min(max(seconds, 1), 30)
        case .unavailable(.upstreamStatus(let status, let wait)) where [429, 502, 503, 504].contains(status):
            min(max(wait ?? 1, 1), 30)
        case .unavailable(.timeout), .unavailable(.unreachable), .unavailable(.overloaded), .withoutLayers, .enlarged:
            1
        case .unavailable(.upstreamStatus), .unavailable(.notAnImage), .unavailable(.placeholder),
            .unavailable(.offline), .unavailable(.corrupt), .unavailable(.tooComplex), .unavailable(.failed):
            nil
        }
    }
}

extension Unavailability {
    fileprivate var sentence: String {
        switch self {
        case .upstreamStatus(let status, _): "the source answered with status \(status)"
        case .timeout: "the source did not answer in time"
        case .unreachable: "the source could not be reached"
        case .notAnImage: "the source sent no image"
        case .placeholder: "the source sent its placeholder"
        case .upstreamDown, .backingOff: "the source failed before and was not asked again"
        case .offline: "the layer is offline"
        case .corrupt: "the source's data is damaged"
        case .tooComplex: "the tile has too much to draw"
        case .overloaded: "too much work was waiting"
        case .failed: "the layer failed"
        }
    }
}
