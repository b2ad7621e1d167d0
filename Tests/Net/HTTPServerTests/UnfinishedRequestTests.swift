import Glibc
import TestSupport
import Testing

@testable import HTTPServer

/// A full server closes unfinished requests, so that new clients get a connection (docs/spec/threats.md T09a).
@Suite(.blocking) struct UnfinishedRequestTests {
    private static let head = "GET /half HTTP/1.1\r\n"
    private static let body = RawClient.request("POST", "/content", ["Content-Length: 3"], body: "a")

    /// Connects clients as 127.0.0.`host` that each send `beginning`. The order is that in which the server has read
    /// them.
    private func begun(
        _ count: Int, _ running: RunningServer, _ beginning: String = head, host: UInt8
    ) throws -> [RawClient] {
        try (0..<count).map { _ in
            let before = unfinished(running)
            let client = try running.client(host: host)
            try client.send(beginning)
            #expect(eventuallyBlocking { unfinished(running) == before + 1 })
            return client
        }
    }

    private func unfinished(_ running: RunningServer) -> Int {
        (0..<running.server.workers.count).reduce(0) { sum, index in
            sum + (running.onReactor(index) { $0.connections.values.count { $0.isMidRequest } } ?? 0)
        }
    }

    /// Returns true if the server answered 408 at once and closed the connection.
    private func hadToLeave(_ client: RawClient) throws -> Bool {
        let (bytes, end) = try client.readToEnd()
        return try RawResponse.parseAll(bytes).map(\.status) == [408] && end == .closed
    }

    /// The oldest unfinished request is closed, no matter how long it has been arriving. `seconds` is the age from
    /// which a request counts as overdue.
    @Test(arguments: [0.0, 60.0], [head, body]) func closesOldestUnfinishedRequestOfLargestAddress(
        seconds: Double, beginning: String
    ) async throws {
        try await withServer({ ($0.connections, $0.headTimeout, $0.unfinished) = (16, .seconds(60), .seconds(seconds)) }
        ) { running in
            // These connections are older, but there are few of them.
            let few = try begun(3, running, beginning, host: 2)
            let many = try begun(13, running, beginning, host: 3)
            var others: [RawClient] = []
            for number in 4..<14 {
                let newcomer = try running.client(host: UInt8(number))
                #expect(try newcomer.get("/\(number)").text == "/\(number)")
                newcomer.hangUp()
                #expect(eventuallyBlocking { running.server.connectionCount < 16 })
                #expect(try hadToLeave(many[number - 4]))
                others += try begun(1, running, beginning, host: UInt8(100 + number))
            }
            let rest = beginning == Self.head ? "Host: a\r\n\r\n" : "bc"
            for client in few + many[10...] {
                try client.send(rest)
                #expect(try client.response().status == 200)
            }
            #expect(others.count == 10)
            #expect(running.lines.events("limit").contains { $0.contains("\"why\":\"unfinished\"") })
        }
    }

    /// Each worker has unfinished requests. One worker also has idle connections, which are closed first.
    @Test(arguments: [1, 2, 3]) func acceptsNewClientsBesideUnfinishedRequests(reactors: Int) async throws {
        try await withServer(reactors: reactors, { ($0.connections, $0.headTimeout) = (12, .seconds(60)) }) { running in
            let halves = try begun(12, running, host: 3)
            for number in 0..<40 {
                let newcomer = try running.client(host: 4)
                #expect(try newcomer.get("/\(number)").text == "/\(number)")
            }
            #expect(eventuallyBlocking { running.server.connectionCount <= 12 })
            #expect(halves.count == 12)
        }
    }

    /// The new clients displace unfinished requests of an address with more connections. Idle connections of an address
    /// with fewer connections stay.
    @Test func keepsIdleConnectionsOfOtherAddresses() async throws {
        try await withServer({ ($0.connections, $0.headTimeout, $0.unfinished) = (16, .seconds(60), .zero) }) {
            running in
            let idle = try (0..<4).map { _ in try running.client(host: 2) }
            for client in idle { #expect(try client.get("/idle").status == 200) }
            let halves = try begun(12, running, host: 3)
            for host in 4..<8 { #expect(try running.client(host: UInt8(host)).get("/new").status == 200) }
            for client in idle { #expect(try client.get("/still").text == "/still") }
            #expect(try hadToLeave(halves[0]))
        }
    }

    /// The connections had no time to send anything. The server still closes them, because their address has the most
    /// connections.
    @Test func closesNewSilentConnectionsOfAFullServer() async throws {
        try await withServer({ ($0.connections, $0.headTimeout) = (16, .seconds(60)) }) { running in
            let silent = try (0..<16).map { _ in try running.client(host: 3) }
            #expect(eventuallyBlocking { running.server.connectionCount == 16 })
            for _ in 0..<8 { #expect(try running.client(host: 4).get("/new").status == 200) }
            #expect(eventuallyBlocking { running.lines.events("limit").contains { $0.contains("idle") } })
            #expect(silent.count == 16)
        }
    }

    /// The server reads all received bytes before it judges a connection. Half a head keeps no slot.
    @Test func closesHalfHeadsThatWereNotReadYet() async throws {
        try await withServer({ ($0.connections, $0.headTimeout) = (16, .seconds(60)) }) { running in
            let silent = try (0..<16).map { _ in try running.client(host: 3) }
            #expect(eventuallyBlocking { running.server.connectionCount == 16 })
            try running.hold(while: { for client in silent { try client.send(Self.head) } }) { connection in
                #expect(connection.worker.closeOne(.young) || connection.worker.closeOne(.overdue))
            }
            #expect(eventuallyBlocking { running.server.connectionCount == 0 })
            for client in silent { #expect(try hadToLeave(client)) }
        }
    }

    /// The rest of the request arrives before the server looks, so the request is complete.
    @Test(arguments: [(head, "Host: a\r\n\r\n"), (body, "bc")]) func answersARequestThatHasBecomeComplete(
        beginning: String, rest: String
    ) async throws {
        try await withServer({ ($0.connections, $0.headTimeout, $0.unfinished) = (1, .seconds(60), .zero) }) {
            running in
            let client = try begun(1, running, beginning, host: 2)[0]
            try running.hold(while: { try client.send(rest) }) { connection in
                #expect(!connection.worker.closeOne(.overdue) && !connection.worker.closeOne(.young))
                #expect(connection.requests == 1 && !connection.isMidRequest)
            }
            #expect(try client.response().status == 200)
        }
    }

    /// A byte from time to time does not keep the slot.
    @Test(arguments: [(head, "Host:"), (body, "b")]) func closesATricklingRequest(
        beginning: String, more: String
    ) async throws {
        try await withServer({ ($0.connections, $0.headTimeout, $0.unfinished) = (1, .seconds(60), .zero) }) {
            running in
            let client = try begun(1, running, beginning, host: 2)[0]
            try running.hold(while: { try client.send(more) }) { #expect($0.worker.closeOne(.overdue)) }
            #expect(try hadToLeave(client))
        }
    }

    /// A content reader takes content as it arrives, and the content may be large. Each piece restarts the waiting
    /// time.
    @Test func keepsAnUploadWhileItsContentArrives() async throws {
        try await withServer({ ($0.connections, $0.headTimeout, $0.unfinished) = (1, .seconds(60), .zero) }) {
            running in
            let upload = RawClient.request("POST", "/read", ["Content-Length: 3"], body: "a")
            let client = try begun(1, running, upload, host: 2)[0]
            try running.hold(while: { try client.send("b") }) { connection in
                let before = connection.waitingSince ?? .distantFuture
                #expect(!connection.worker.closeOne(.overdue))
                #expect(connection.waitingSince.map { $0 > before } == true)
            }
            try client.send("c")
            #expect(try client.response().text == "3 294 0")
        }
    }

    @Test(arguments: [1, 2]) func reusesReservedSlotsOfUnfinishedRequests(reactors: Int) async throws {
        try await withServer(
            reactors: reactors, { ($0.connections, $0.headTimeout, $0.unfinished) = (2, .seconds(60), .seconds(0.2)) }
        ) { running in
            let waiting = try (0..<2).map { number in
                let client = try running.client()
                try client.send(RawClient.request("GET", "/gate"))
                #expect(eventuallyBlocking { running.responder.replyCount == number + 1 })
                return client
            }
            let halves = try (0..<OpenConnections.reserve).map { number in
                try begun(1, running, number % 2 == 0 ? Self.head : Self.body, host: 1)[0]
            }
            #expect(running.server.connectionCount == 10)
            usleep(300_000)
            // New connections alternate between the workers.
            for _ in 0..<4 { #expect(try running.client().get("/health").text == "/health") }
            running.responder.gate.open()
            for client in waiting { #expect(try client.response().text == "/gate") }
            if reactors == 1 { #expect(try hadToLeave(halves[0])) }
        }
    }

    @Test(arguments: [
        ("192.0.2.1", "192.0.2.1", true), ("192.0.2.1", "192.0.2.2", false), ("2001:db8::1", "2001:db8::ffff:2", true),
        ("2001:db8::1", "2001:db8:0:1::1", false), ("::ffff:192.0.2.1", "192.0.2.1", true),
        ("::ffff:192.0.2.1", "::ffff:192.0.2.2", false), ("::1", "0.0.0.0", false),
    ])
    func comparesNetworksOfAddresses(one: String, other: String, areSame: Bool) throws {
        #expect((PeerNetwork(try storage(one)) == PeerNetwork(try storage(other))) == areSame)
    }

    private func storage(_ text: String) throws -> sockaddr_storage {
        var storage = sockaddr_storage()
        let isIPv6 = text.contains(":")
        storage.ss_family = sa_family_t(isIPv6 ? AF_INET6 : AF_INET)
        let code = withUnsafeMutableBytes(of: &storage) { bytes in
            inet_pton(isIPv6 ? AF_INET6 : AF_INET, text, bytes.baseAddress?.advanced(by: isIPv6 ? 8 : 4))
        }
        try #require(code == 1)
        return storage
    }
}
