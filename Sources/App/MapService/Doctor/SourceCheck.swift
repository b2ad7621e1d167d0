import Configuration
import EventLog
import HTTPClient
import Logging
import MapGeometry
import Runtime
import TileSources

/// Asks each source of a configuration that is another server for one tile, as its layer would. Keeps nothing of it.
struct SourceCheck {
    private let reactors: [Reactor]

    /// The most that a layer waits for others that ask the same host, in seconds.
    private static let longestWait = 60.0

    init() throws {
        reactors = [try Reactor(label: "doctor")]
    }

    /// A finding for each layer with such a source, in the order of the configuration, and by how many seconds this machine's
    /// clock is ahead of those of sources that tell theirs. All hosts at once; of one host no more than `maxConcurrent`, and no
    /// more layers once it has failed as often as its breaker suffers.
    func results(_ layers: [LayerSettings]) async -> (findings: [Finding], offsets: [Int]) {
        let log = EventLog(logger: Logger(label: "doctor") { _ in SwiftLogNoOpLogHandler() })
        var rules = UpstreamRules()
        (rules.maxWaiting, rules.queueTimeout) = (MapService.mostLayers, Self.longestWait)
        let factory = URLLayerFactory(
            files: WorkQueue(label: "doctor files", width: 1, depth: 1), client: HTTPClient(reactors: reactors),
            hosts: UpstreamHosts(rules: rules), log: log)
        let examined = await layers.concurrentMap { settings in
            guard case .url(let source) = settings.source else { return Examined() }
            return await Self.examine(settings, source, factory)
        }
        return (examined.compactMap(\.finding), examined.compactMap(\.offset))
    }

    private struct Examined {
        /// Nil for a layer of files.
        var finding: Finding?
        /// Seconds that this machine's clock is ahead of the source's.
        var offset: Int?
    }

    private static func examine(
        _ settings: LayerSettings, _ source: URLSource, _ factory: URLLayerFactory
    ) async -> Examined {
        let subject = "layers.\(settings.id)"
        if settings.offline {
            return Examined(
                finding: .ok(subject, "offline: only cached tiles are served; the source was not asked"))
        }
        do {
            guard let layer = try factory.make(source, settings).layer as? UpstreamTileLayer,
                let coordinate = settings.sampleTile
            else { return Examined() }
            let examination = await layer.examine(at: coordinate, scale: 1)
            let verdict = SourceVerdict(settings, at: coordinate, examination)
            return Examined(finding: verdict.finding, offset: verdict.clockOffset)
        } catch {
            return Examined(
                finding: .fault(
                    subject, "the layer cannot be created: \(error)", "\(subject): correct what the error names"))
        }
    }
}

extension LayerSettings {
    /// A tile that the layer has, if it has any: of the lowest zoom, in the middle of its bounds.
    var sampleTile: TileCoordinate? {
        guard let bounds else {
            return Coordinate(latitude: 0, longitude: 0).flatMap { TileCoordinate(containing: $0, z: minZoom) }
        }
        let east = bounds.east + (bounds.east < bounds.west ? 360 : 0)
        let middle = Coordinate(latitude: (bounds.south + bounds.north) / 2, longitude: (bounds.west + east) / 2)
        return middle.flatMap { TileCoordinate(containing: $0, z: minZoom) }
    }
}
