import Glibc
import TestRedis
import TestSupport
import Testing

@testable import RedisClient

/// A server that claims to be Redis sends invalid replies (T50).
@Suite(.blocking) struct LyingRedisTests {
    @Test(arguments: [
        "\r\n\r\n\r\n", "*2147483648\r\n", "*2147483647\r\n:1\r\n", "*1025\r\n:1\r\n", "+OK",
        "HTTP/1.1 400\r\n\r\n",
        // The lower 32 bits of this count are zero.
        "*4294967296\r\n" + String(repeating: ":1\r\n", count: 2_000),
        String(repeating: "*1\r\n", count: 20), "$10\r\nabc", "",
    ])
    func failsTheCommandAndReconnects(_ answer: String) async throws {
        let server = LyingRedis { peer in
            peer.greet()
            peer.receive()
            peer.send(answer)
        }
        let test = try TestClient(port: server.port)
        let reply = await test.send("GET", "k")
        #expect(reply == .failure(.closed) || reply == .failure(.protocolViolation))
        server.become { peer in
            peer.greet()
            while !peer.receive().isEmpty { peer.send("$1\r\nv\r\n") }
        }
        #expect(await eventually { await test.send("GET", "k") == .success(.text("v")) })
    }

    @Test func opensTheCircuitAfterThreeFailuresInARow() async throws {
        let server = LyingRedis { $0.receive() }
        let test = try TestClient(port: server.port)
        #expect(await eventually { test.said == [.down(why: "closed")] })
        #expect(server.connectionCount == 3)
        #expect(await test.send("GET", "k") == .failure(.unavailable))
    }

    @Test func countsFailuresFromTheLastSuccess() async throws {
        let server = LyingRedis { peer in
            peer.greet()
            peer.receive()
        }
        let test = try TestClient(port: server.port)
        // Each connection passes the greeting and ends at the first command.
        for _ in 0..<6 { #expect(await eventually { await test.send("GET", "k") == .failure(.closed) }) }
        #expect(test.said == [.up])
    }

    @Test func closesTheConnectionOnATooLargeReply() async throws {
        let server = LyingRedis { peer in
            peer.greet()
            peer.receive()
            peer.send("$\(3 << 20)\r\n")
            peer.send([UInt8](repeating: 7, count: 3 << 20))
            peer.waitForEnd()
        }
        #expect(try await TestClient(port: server.port, timeout: 20).send("GET", "k") == .failure(.tooLarge))
    }

    @Test func waitsNoLongerThanTheTimeout() async throws {
        let server = LyingRedis { peer in
            peer.greet()
            peer.receive()
            peer.waitForEnd()
        }
        let test = try TestClient(port: server.port, timeout: 0.1)
        #expect(await test.send("GET", "k") == .failure(.timeout))
        #expect(test.said == [.up, .down(why: "timeout")])
    }

    @Test(arguments: [
        "-LOADING Redis is loading the dataset in memory\r\n", "-NOAUTH Authentication required.\r\n", "+NO\r\n",
    ])
    func sendsNothingAfterABadGreeting(_ greeting: String) async throws {
        let server = LyingRedis { peer in
            peer.receive()
            peer.send(greeting)
            peer.waitForEnd()
        }
        let test = try TestClient(port: server.port)
        #expect(await eventually { !test.client.isAvailable })
        #expect(await test.send("GET", "k") == .failure(.unavailable))
    }

    @Test func opensTheCircuitWhenEveryCommandFails() async throws {
        let server = LyingRedis { peer in
            peer.greet()
            while !peer.receive().isEmpty { peer.send("-LOADING Redis is loading the dataset in memory\r\n") }
        }
        let test = try TestClient(port: server.port)
        for _ in 0..<3 { #expect(try await test.send("GET", "k").get().errorCode == "LOADING") }
        #expect(await eventually { test.said == [.up, .down(why: "LOADING")] })
        #expect(await test.send("GET", "k") == .failure(.unavailable))
    }

    /// Redis refuses only some commands, so the client returns the error as their reply. A new connection would pass
    /// the greeting again, and the circuit would open and close in turn.
    @Test(arguments: ["-NOPERM no\r\n", "-MOVED 1 10.0.0.1:6379\r\n", "-CLUSTERDOWN no\r\n"])
    func keepsTheConnectionWhenRedisRefusesACommand(_ answer: String) async throws {
        let server = LyingRedis { peer in
            peer.greet()
            while !peer.receive().isEmpty { peer.send(answer) }
        }
        let test = try TestClient(port: server.port)
        for _ in 0..<6 { #expect(try await test.send("GET", "k").get().errorCode != nil) }
        #expect(test.said == [.up] && server.connectionCount == 1)
    }

    @Test func reconnectsWhenRedisIsAReplica() async throws {
        let server = LyingRedis { peer in
            peer.greet()
            while !peer.receive().isEmpty { peer.send("-READONLY You can't write against a read only replica.\r\n") }
        }
        let test = try TestClient(port: server.port)
        #expect(
            await eventually {
                _ = await test.send("SET", "k", "v")
                return server.connectionCount > 1
            })
        #expect(test.said == [.up])
    }

    @Test func rejectsUnrequestedReplies() async throws {
        let server = LyingRedis { peer in
            peer.receive()
            peer.send("+PONG\r\n$4\r\nevil\r\n")
            peer.waitForEnd()
        }
        let test = try TestClient(port: server.port)
        // The reply may arrive before the command is sent.
        let reply = await test.send("GET", "k")
        #expect(reply == .failure(.protocolViolation) || reply == .failure(.unavailable))
        #expect(await eventually { server.connectionCount >= 2 })
    }

    /// At most 16 MiB of commands wait for a Redis that reads nothing. The oldest commands are dropped.
    @Test func dropsTheOldestCommandsWhenTooManyWait() async throws {
        let server = LyingRedis { peer in
            peer.greet()
            sleep(5)
        }
        let test = try TestClient(port: server.port, timeout: 2)
        #expect(await test.becomesAvailable())
        let value = [UInt8](repeating: 1, count: 1 << 20)
        let results = await withTaskGroup { group in
            for number in 0..<60 {
                group.addTask { (number, await test.send("SET", RedisArgument(number), RedisArgument(value))) }
            }
            return await group.reduce(into: [Result<RedisReply, RedisError>]()) { $0.append($1.1) }
        }
        let dropped = results.count { $0 == .failure(.unavailable) }
        let late = results.count { $0 == .failure(.timeout) }
        #expect(dropped + late == 60)
        // Commands that the kernel has taken wait for replies. 15 values of 1 MiB wait to be written.
        #expect(dropped >= 20 && late >= 15, "\(dropped) dropped, \(late) late")
    }
}
