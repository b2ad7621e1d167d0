import Keys
import Glibc
import Runtime
import Synchronization
import TestRedis
import TestSupport

@testable import RedisClient

/// A Redis client on its own reactor. Records the states that the client reports.
final class TestClient: Sendable {
    let client: RedisClient
    private let states: Recorder<RedisState>

    init(_ address: RedisURL, timeout: Double = 2) throws {
        let states = Recorder<RedisState>()
        self.states = states
        client = RedisClient(address, reactor: try Reactor(label: "test.redis"), timeout: timeout) { states.add($0) }
    }

    convenience init(port: UInt16, timeout: Double = 2) throws {
        try self.init(RedisURL(host: "127.0.0.1", port: port), timeout: timeout)
    }

    var said: [RedisState] { states.all }

    func send(_ name: StaticString, _ arguments: RedisArgument...) async -> Result<RedisReply, RedisError> {
        do throws(RedisError) {
            return .success(try await client.send(RedisCommand(name, arguments)))
        } catch {
            return .failure(error)
        }
    }

    func becomesAvailable() async -> Bool { await eventually { self.said.last == .up } }
}

final class Recorder<Value: Sendable>: Sendable {
    private let values = Mutex<[Value]>([])
    func add(_ value: Value) { values.withLock { $0.append(value) } }
    var all: [Value] { values.withLock { $0 } }
}

extension RedisReply {
    static func text(_ text: String) -> RedisReply { .bytes(Array(text.utf8)) }
    static let ok = RedisReply.status(Array("OK".utf8))
}
