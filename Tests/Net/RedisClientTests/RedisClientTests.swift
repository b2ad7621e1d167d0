import Keys
import Runtime
import TestRedis
import TestSupport
import Testing

@testable import RedisClient

/// Tests with a real redis-server.
@Suite(.blocking) struct RedisClientTests {
    @Test func readsBackStoredValues() async throws {
        let server = try RedisServer()
        let test = try TestClient(port: server.port)
        let value = (0..<100_000).map { UInt8(truncatingIfNeeded: $0) }
        #expect(await test.send("SET", "k", RedisArgument(value)) == .success(.ok))
        #expect(await test.send("GET", "k") == .success(.bytes(value)))
        #expect(await test.send("GET", "other") == .success(.null))
        #expect(await test.send("INCR", "n") == .success(.integer(1)))
        #expect(test.said == [.up] && test.client.isAvailable)
    }

    @Test func matchesRepliesOfAThousandConcurrentCommands() async throws {
        let server = try RedisServer()
        let test = try TestClient(port: server.port)
        let wrong = await withTaskGroup { group in
            for number in 0..<1_000 {
                group.addTask { await test.send("ECHO", RedisArgument(number)) != .success(.text("\(number)")) }
            }
            return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        #expect(wrong == 0)
        // All commands use one connection. The test's own connection is the second.
        let clients = server.ask("INFO clients") ?? ""
        #expect(clients.contains("connected_clients:2\r\n"), "\(clients)")
    }

    @Test func returnsErrorsAsReplies() async throws {
        let server = try RedisServer()
        let test = try TestClient(port: server.port)
        _ = await test.send("SET", "text", "x")
        for _ in 0..<5 {
            let reply = await test.send("HGET", "text", "x")
            #expect((try? reply.get())?.errorCode == "WRONGTYPE")
        }
        #expect(test.client.isAvailable)
    }

    @Test func usesTheUserAndDatabaseOfTheAddress() async throws {
        let server = try RedisServer(["--requirepass", "a b", "--user", "tiles", "on", ">p:w", "~*", "+@all"])
        let address = RedisURL(host: "localhost", port: server.port, password: "a b", database: 3)
        let test = try TestClient(address)
        #expect(await test.send("SET", "k", "v") == .success(.ok))
        let list = try await test.send("CLIENT", "LIST").get().text
        #expect(String(decoding: list ?? [], as: UTF8.self).contains(" db=3 "))
        let named = RedisURL(host: "127.0.0.1", port: server.port, user: "tiles", password: "p:w")
        #expect(try await TestClient(named).send("ACL", "WHOAMI") == .success(.text("tiles")))
    }

    @Test func sendsNothingWhenTheLoginFails() async throws {
        let server = try RedisServer(["--requirepass", "right"])
        for (password, code) in [("wrong", "WRONGPASS"), (nil, "NOAUTH")] {
            let test = try TestClient(RedisURL(host: "127.0.0.1", port: server.port, password: password))
            #expect(await test.send("GET", "k") == .failure(.unavailable))
            #expect(test.said == [.down(why: code)] && !test.client.isAvailable)
        }
    }

    @Test func runsScriptsThatRedisHasForgotten() async throws {
        let server = try RedisServer()
        let test = try TestClient(port: server.port)
        let script = RedisScript("return { KEYS[1], ARGV[1], redis.call('INCR', KEYS[1]) }")
        for number in 1...3 {
            let reply = try await test.client.run(script, keys: ["k"], ["a"])
            #expect(reply == .array([.text("k"), .text("a"), .integer(Int64(number))]))
            if number == 2 { #expect(await test.send("SCRIPT", "FLUSH") == .success(.ok)) }
        }
    }

    // T50: Redis hangs.
    @Test func failsAtOnceWhileRedisHangsAndRecovers() async throws {
        let server = try RedisServer()
        let test = try TestClient(port: server.port, timeout: 0.1)
        #expect(await eventually { await test.send("SET", "k", "v") == .success(.ok) })
        server.hang()
        #expect(await test.send("GET", "k") == .failure(.timeout))
        #expect(!test.client.isAvailable)
        #expect(test.said.last == .down(why: "timeout"))
        for _ in 0..<100 { #expect(await test.send("GET", "k") == .failure(.unavailable)) }
        server.resume()
        #expect(await test.becomesAvailable())
        #expect(await eventually { await test.send("GET", "k") == .success(.text("v")) })
    }

    // T50: Redis is down at the start, or dies later.
    @Test func connectsWhenRedisStartsLaterOrRestarts() async throws {
        let server = try RedisServer()
        server.kill()
        let test = try TestClient(port: server.port)
        #expect(await eventually { test.said.last == .down(why: "Connection refused") })
        #expect(await test.send("PING") == .failure(.unavailable))
        for _ in 0..<2 {
            try server.start()
            #expect(await test.becomesAvailable())
            #expect(await test.send("PING") == .success(.status(Array("PONG".utf8))))
            server.kill()
            #expect(await eventually { test.said.last == .down(why: "Connection refused") })
        }
    }

    // T50: Redis is full.
    @Test func keepsReadingWhenRedisIsFull() async throws {
        let server = try RedisServer(["--maxmemory", "3mb", "--maxmemory-policy", "noeviction"])
        let test = try TestClient(port: server.port)
        _ = await test.send("SET", "k", "v")
        var codes: Set<String> = []
        for number in 0..<50 {
            let reply = await test.send(
                "SET", RedisArgument(number), RedisArgument([UInt8](repeating: 1, count: 100_000)))
            if let code = try reply.get().errorCode { codes.insert(code) }
        }
        #expect(codes == ["OOM"])
        #expect(await test.send("GET", "k") == .success(.text("v")))
        #expect(test.client.isAvailable)
    }

    @Test func failsAllCommandsAfterClose() async throws {
        let server = try RedisServer()
        let test = try TestClient(port: server.port)
        #expect(await test.send("PING") == .success(.status(Array("PONG".utf8))))
        async let blocked = test.send("BLPOP", "none", "0")
        // Waits until the command blocks in Redis.
        #expect(await eventually { server.ask("INFO clients")?.contains("blocked_clients:1") == true })
        test.client.close()
        #expect(await blocked == .failure(.unavailable))
        #expect(await test.send("PING") == .failure(.unavailable))
        #expect(await eventually { server.ask("INFO clients")?.contains("connected_clients:1\r\n") == true })
    }

    @Test func refusesACommandThatIsTooLarge() async throws {
        let server = try RedisServer()
        let test = try TestClient(port: server.port)
        let value = [UInt8](repeating: 1, count: CommandQueue.mostBytes)
        #expect(await test.send("SET", "k", RedisArgument(value)) == .failure(.tooLarge))
        #expect(await test.send("GET", "k") == .success(.null))
    }
}
