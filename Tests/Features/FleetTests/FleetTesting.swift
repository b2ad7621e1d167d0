import Bytes
import MapGeometry
import Runtime
import RedisClient
import Synchronization
import TileCache
import Tiles

@testable import Fleet

/// Redis in memory, with the few commands that the tier uses.
final class FakeRedis: RedisCommands {
    struct State {
        var values: [String: [UInt8]] = [:]
        /// Lifetime of each value in milliseconds.
        var lives: [String: Int] = [:]
        var commands: [String] = []
        /// If set, every command gets this answer.
        var answer: Result<RedisReply, RedisError>?
        var isAvailable = true
    }

    private let state = Mutex(State())

    func with<Value: Sendable>(_ body: (inout State) -> Value) -> Value { state.withLock { body(&$0) } }

    var isAvailable: Bool { with { $0.isAvailable } }
    var commands: [String] { with { $0.commands } }

    func send(_ command: RedisCommand) async throws(RedisError) -> RedisReply {
        let arguments = command.arguments.map(\.bytes)
        let key = arguments.first.map { String(decoding: $0, as: UTF8.self) } ?? ""
        let result = with { state -> Result<RedisReply, RedisError> in
            state.commands.append(command.name)
            if let answer = state.answer { return answer }
            switch command.name {
            case "GETRANGE": return .success(.bytes(state.values[key] ?? []))
            case "SET":
                state.values[key] = arguments[1]
                state.lives[key] = arguments.count > 3 ? Int(String(decoding: arguments[3], as: UTF8.self)) : nil
                return .success(.status(Array("OK".utf8)))
            case "UNLINK": return .success(.integer(state.values.removeValue(forKey: key) == nil ? 0 : 1))
            default: return .success(.error(Array("ERR unknown command".utf8)))
            }
        }
        return try result.get()
    }
}

/// Stamps and verdicts that a test sets.
final class FakeStamps: FleetStamps {
    struct State {
        var stamp: StreamID? = StreamID(milliseconds: 5, sequence: 0)
        var verdict = FleetVerdict.valid
        /// The stamps of all requested verdicts.
        var asked: [StreamID] = []
    }

    private let state = Mutex(State())

    func with<Value: Sendable>(_ body: (inout State) -> Value) -> Value { state.withLock { body(&$0) } }

    func stamp(of layer: String) -> StreamID? { with { $0.stamp } }

    func verdict(on coordinate: TileCoordinate, of layer: String, stamp: StreamID) -> FleetVerdict {
        with { state in
            state.asked.append(stamp)
            return state.verdict
        }
    }
}

extension StoreKey {
    static func sample(_ x: Int = 1, generation: UInt32 = 7, layer: String = "osm") -> StoreKey {
        StoreKey(
            namespace: StoreNamespace(layer: layer, fingerprint: String(repeating: "0a", count: 16)),
            generation: generation, coordinate: .sample(x), scale: 2)
    }
}

extension TileCoordinate {
    fileprivate static func sample(_ x: Int) -> TileCoordinate {
        guard let coordinate = TileCoordinate(z: 8, x: x, y: 3) else { preconditionFailure("no such tile") }
        return coordinate
    }
}

extension TileRecord {
    static func sample(
        _ bytes: [UInt8] = Array("tile".utf8), born: Int = 1_000, life: TileLife = TileLife(lifetime: 3_600)
    ) -> TileRecord {
        let tile = Tile(bytes: SharedBytes(bytes), format: .webp, width: 512, height: 256, lastModified: 17)
        return TileRecord(
            content: .tile(tile, ContentHash(of: tile.bytes)),
            validators: Validators(etag: "\"e\"", lastModified: "Sun, 06 Nov 1994 08:49:37 GMT"), born: born,
            life: life,
            date: 999)
    }

    var text: String? {
        guard case .tile(let tile, _) = content else { return nil }
        return tile.bytes.text
    }
}

/// A monotonic clock and a wall clock that advance only when a test advances them.
final class TestClock: Sendable {
    private let seconds = Mutex(1_767_225_600)

    func advance(_ step: Int) { seconds.withLock { $0 += step } }

    var loaderClock: LoaderClock {
        LoaderClock(
            monotonic: { MonotonicTime(nanoseconds: self.seconds.withLock { $0 } * 1_000_000_000) },
            wall: { self.seconds.withLock { $0 } })
    }
}

extension FleetTier {
    /// Begins and finishes a fetch of the tile `record`.
    @discardableResult
    func fetched(_ record: TileRecord, for key: StoreKey) -> Bool {
        begin(key)
        return keep(record, for: key)
    }
}
