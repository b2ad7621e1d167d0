import EventLog
import Logging
import TileCache
import Tiles

extension EventLog {
    /// A tile of `layer` that cannot be had.
    func record(_ reason: Unavailability, _ key: TileKey, _ layer: String) {
        // A tile that is made of others is unavailable because they are: those have their own lines.
        let isReported = key.variant != .source || reason.isReportedElsewhere
        record(
            "tile_unavailable", level: isReported ? .debug : .warning, layer: layer,
            [
                "why": "\(reason)", "z": "\(key.coordinate.z)", "x": "\(key.coordinate.x)", "y": "\(key.coordinate.y)",
            ])
    }
}

extension Unavailability {
    /// The log has a line that says more, or the reason is expected.
    fileprivate var isReportedElsewhere: Bool {
        switch self {
        case .timeout, .failed: false
        case .unreachable, .upstreamStatus, .notAnImage, .placeholder, .upstreamDown, .backingOff, .offline,
            .corrupt, .tooComplex, .overloaded:
            true
        }
    }
}
