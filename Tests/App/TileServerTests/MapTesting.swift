import Tiles
import Bytes
import Configuration
import MapGeometry
import Raster
import Synchronization
import TestSupport
import Testing
import TileCache

@testable import TileServer

/// A layer that paints pictures and records its requests. A test can change its answers.
final class PaintedLayer: TileLayer {
    struct Question: Sendable, Hashable, CustomStringConvertible {
        let z, x, y, scale: Int
        var description: String { "\(z)/\(x)/\(y)@\(scale)" }
    }

    typealias Answer = @Sendable (Question) async throws -> SourceAnswer

    private let answer: Mutex<Answer>
    private let asked = Mutex<[Question]>([])

    init(_ answer: @escaping Answer) {
        self.answer = Mutex(answer)
    }

    /// Paints all tiles in one color.
    convenience init(_ color: RGBA, size: Int = 256, _ terms: SourceTerms = SourceTerms()) {
        self.init { _ in try .painted(color, size: size, terms) }
    }

    /// Returns the same result for all tiles.
    convenience init(_ result: TileResult) {
        self.init { _ in .result(result, SourceTerms()) }
    }

    /// Sets the answer for later requests.
    func become(_ answer: @escaping Answer) {
        self.answer.withLock { $0 = answer }
    }

    func become(_ color: RGBA, size: Int = 256) {
        become { _ in try .painted(color, size: size) }
    }

    func fail(_ reason: Unavailability = .unreachable) {
        become { _ in .failure(reason) }
    }

    var questions: [Question] { asked.withLock { $0 } }
    var callCount: Int { asked.withLock { $0.count } }
    var tilesAsked: Set<String> { Set(questions.map { "\($0.z)/\($0.x)/\($0.y)" }) }

    func answer(at coordinate: TileCoordinate, scale: Int, holding: Validators?) async -> SourceAnswer {
        let question = Question(
            z: coordinate.z, x: coordinate.x, y: coordinate.y, scale: scale)
        asked.withLock { $0.append(question) }
        do {
            return try await answer.withLock { $0 }(question)
        } catch {
            Issue.record("the layer could not paint: \(error)")
            return .failure(.failed)
        }
    }
}

extension SourceAnswer {
    /// Returns an answer with `pixmap` as PNG.
    static func painted(_ pixmap: Pixmap, _ terms: SourceTerms = SourceTerms()) throws -> SourceAnswer {
        let tile = try Tile(
            bytes: PNGEncoder.encode(pixmap), format: .png, width: pixmap.width, height: pixmap.height)
        return .result(.tile(tile), terms)
    }

    static func painted(_ color: RGBA, size: Int = 256, _ terms: SourceTerms = SourceTerms()) throws -> SourceAnswer {
        let key = color.channels.map { Int($0) } + [size]
        if let tile = flatTiles.withLock({ $0[key] }) { return .result(.tile(tile), terms) }
        let answer = try painted(Pixmap(width: size, height: size, color: color), terms)
        if case .result(.tile(let tile), _) = answer { flatTiles.withLock { $0[key] = tile } }
        return answer
    }

    static var nothing: SourceAnswer { .result(.noTile, SourceTerms()) }
}

extension RGBA {
    static let pureRed = RGBA(red: 255, green: 0, blue: 0)
    static let pureGreen = RGBA(red: 0, green: 255, blue: 0)
    static let pureBlue = RGBA(red: 0, green: 0, blue: 255)
    static let white = RGBA(red: 255, green: 255, blue: 255)

    init(_ red: UInt8, _ green: UInt8, _ blue: UInt8, _ alpha: UInt8 = 255) {
        self.init(red: red, green: green, blue: blue, alpha: alpha)
    }

    /// Returns a different color for each tile of the first zooms.
    static func place(_ question: PaintedLayer.Question) -> RGBA {
        RGBA(UInt8(question.z * 20 + 5), UInt8(question.x * 15 + 7), UInt8(question.y * 15 + 9))
    }

    var channels: [UInt8] { [red, green, blue, alpha] }

    /// Reports whether all channels differ by at most `tolerance`.
    func isNear(_ other: RGBA, within tolerance: Int = 1) -> Bool {
        zip(channels, other.channels).allSatisfy { abs(Int($0) - Int($1)) <= tolerance }
    }
}

extension Pixmap {
    subscript(x: Int, y: Int) -> RGBA {
        let start = (y * width + x) * 4
        return RGBA(bytes[start], bytes[start + 1], bytes[start + 2], bytes[start + 3])
    }

    /// Creates an image of `cells` × `cells` squares. `color` gets the column and the row.
    init(size: Int, cells: Int, _ color: (Int, Int) -> RGBA) {
        self.init(width: size, height: size)
        bytes = []
        bytes.reserveCapacity(size * size * 4)
        var row: (number: Int, bytes: [UInt8]) = (-1, [])
        for y in 0..<size {
            let number = y * cells / size
            if number != row.number {
                let colors = (0..<cells).map { color($0, number).channels }
                row = (number, (0..<size).flatMap { colors[$0 * cells / size] })
            }
            bytes += row.bytes
        }
    }

    /// The colors in the middle of the four quarters: north-west, north-east, south-west and south-east.
    var quarters: [RGBA] {
        [(1, 1), (3, 1), (1, 3), (3, 3)].map { self[width * $0 / 4, height * $1 / 4] }
    }

    /// Reports whether every pixel is within `tolerance` of `color`.
    func isAll(_ color: RGBA, within tolerance: Int = 1) -> Bool {
        let expected = color.channels.map { Int($0) }
        return bytes.withUnsafeBufferPointer { bytes in
            bytes.indices.allSatisfy { abs(Int(bytes[$0]) - expected[$0 & 3]) <= tolerance }
        }
    }
}

/// Encoded tiles of one color. Each is encoded once, because encoding is slow in a debug build.
private let flatTiles = Mutex<[[Int]: Tile]>([:])

extension RawResponse {
    /// Decodes the picture in the body. Throws if the status is not 200 or the body is not a picture.
    func picture(_ location: SourceLocation = #_sourceLocation) throws -> Pixmap {
        try #require(status == 200, "\(summary) \(text.prefix(200))", sourceLocation: location)
        return try ImageDecoder.decode(SharedBytes(body))
    }

    /// Number of seconds for which a client may keep the tile: `max-age` minus `Age`.
    var secondsLeft: Int { (control("max-age") ?? 0) - (age ?? 0) }

    var isHit: Bool { self["cache-status"]?.contains("; hit") == true }
}

extension LayerSettings {
    /// Returns the settings of a map with `layers`.
    static func map(_ id: String = "map", _ layers: [MapLayer]) -> LayerSettings {
        LayerSettings(id: id, source: .map(MapSource(layers: layers)))
    }

    static func map(_ id: String = "map", _ layers: String...) -> LayerSettings {
        map(id, layers.map { MapLayer(id: $0) })
    }

    /// The map settings in `source`.
    var stack: MapSource {
        get { if case .map(let map) = source { map } else { MapSource(layers: []) } }
        set { source = .map(newValue) }
    }

    /// Returns a copy with `change` applied.
    func with(_ change: (inout LayerSettings) -> Void) -> LayerSettings {
        var copy = self
        change(&copy)
        return copy
    }
}

extension MapLayer {
    init(
        _ id: String, zIndex: Int? = nil, opacity: Double? = nil, visible: Bool? = nil, blend: BlendMode? = nil
    ) {
        self.init(id: id)
        (self.zIndex, self.opacity, self.visible, self.blend) = (zIndex, opacity, visible, blend)
    }
}

/// Runs `body` with a server that has `layers` in the order of their names, and `maps`.
///
/// `change` may adjust the settings of a layer.
func withStack(
    _ way: Way = .memory, _ layers: [String: any TileLayer], maps: [LayerSettings] = [LayerSettings.map()],
    clock: LoaderClock = .system, _ change: (inout LayerSettings) -> Void = { _ in },
    _ body: (Endpoint) async throws -> Void
) async throws {
    var configuration = stack(layers.keys, maps: maps, change)
    configuration.server.port = 0
    configuration.server.reactors = 1
    configuration.server.limits.drain = .seconds(1)
    configuration.admin.token = Endpoint.token
    configuration.admin.hosts = ["test"]
    configuration.cache.memory = 64 << 20
    let lines = LogLines()
    let server = try TileServer(configuration: configuration, embedded: layers, log: lines.log, clock: clock)
    do {
        try await body(Endpoint(server: server, way: way, lines: lines, clock: clock))
    } catch {
        await server.stop()
        throw error
    }
    await server.stop()
}

/// Returns a configuration with embedded layers of these names and with `maps`. The timeouts are long, for a busy
/// machine. A map without layers gets all of them.
func stack(
    _ names: some Sequence<String>, maps: [LayerSettings], _ change: (inout LayerSettings) -> Void = { _ in }
) -> Configuration {
    var configuration = Configuration(
        layers: names.sorted().map { name in
            LayerSettings(id: name, source: .embedded).with {
                $0.timeout = .seconds(300)
                change(&$0)
            }
        })
    configuration.maps = maps.map { map in
        map.with {
            $0.timeout = .seconds(300)
            if $0.stack.layers.isEmpty { $0.stack.layers = names.sorted().map { MapLayer(id: $0) } }
        }
    }
    return configuration
}
