import EventLog
import Logging
import TileCache
import Tiles

extension EventLog {
    /// Logs that the tile `key` of the layer with the id `layer` is unavailable because of `reason`. The level is
    /// warning, or debug if other log lines report the reason.
    func record(_ reason: Unavailability, _ key: TileKey, _ layer: String) {
        // A tile that the server makes from the layer's tiles gets no warning: the layer's tiles have their own log
        // lines.
        let isReported = !key.variant.isOfLayer || reason.isReportedElsewhere
        record(
            "tile_unavailable", level: isReported ? .debug : .warning, layer: layer,
            [
                "why": "\(reason)", "z": "\(key.coordinate.z)", "x": "\(key.coordinate.x)", "y": "\(key.coordinate.y)",
            ])
    }
}

extension Unavailability {
    /// True if another log line says more, or if the reason is expected.
    fileprivate var isReportedElsewhere: Bool {
        switch self {
        case .timeout, .failed: false
        case .unreachable, .upstreamStatus, .notAnImage, .placeholder, .upstreamDown, .backingOff, .offline,
            .corrupt, .tooComplex, .overloaded:
            true
        }
    }
}
