import Foundation
import Glibc
import TestSupport
import Testing

@testable import HTTPServer

/// Which clients get a connection when the server is full, and which connections the server closes for them.
@Suite(.blocking) struct AdmissionTests {
    /// Connects clients as 127.0.0.`host`. Each client has received one answer and is idle.
    private func idle(_ count: Int, _ running: RunningServer, host: UInt8 = 1) throws -> [RawClient] {
        try (0..<count).map { _ in
            let client = try running.client(host: host)
            #expect(try client.get("/idle").status == 200)
            return client
        }
    }

    /// Connects clients that wait for an answer.
    private func busy(_ count: Int, _ running: RunningServer, host: UInt8 = 1) throws -> [RawClient] {
        let before = running.responder.replyCount
        let clients = try (0..<count).map { _ in
            let client = try running.client(host: host)
            try client.send(RawClient.request("GET", "/gate"))
            return client
        }
        #expect(eventuallyBlocking { running.responder.replyCount == before + count })
        return clients
    }

    private func isClosed(_ client: RawClient) -> Bool {
        (try? client.readToEnd())?.bytes.isEmpty == true
    }

    @Test(arguments: [1, 2, 3]) func closesAnIdleConnectionForANewClient(reactors: Int) async throws {
        try await withServer(reactors: reactors, { $0.connections = 16 }) { running in
            var held = try idle(16, running)
            for number in 0..<40 {
                let newcomer = try running.client()
                #expect(try newcomer.get("/\(number)").text == "/\(number)")
                #expect(eventuallyBlocking { running.server.connectionCount == 16 })
                held.append(newcomer)
            }
            // Each new client replaced one idle connection.
            #expect(held.count == 56 && running.lines.all.contains { $0.contains("\"why\":\"idle\"") })
        }
    }

    @Test func closesTheLongestIdleConnectionFirst() async throws {
        try await withServer({ $0.connections = 16 }) { running in
            var held = try idle(16, running)
            // The first two clients send another request. The third client has now been idle for the longest time.
            for client in held[..<2] { #expect(try client.get("/again").status == 200) }
            let newcomers = try idle(3, running)
            for client in held[2..<5] { #expect(isClosed(client)) }
            held.replaceSubrange(2..<5, with: newcomers)
            for client in held { #expect(try client.get("/still").text == "/still") }
        }
    }

    @Test func closesConnectionsOfTheAddressWithMostConnections() async throws {
        try await withServer({ $0.connections = 16 }) { running in
            // These connections are idle for the longest time, but there are few of them.
            let few = try idle(5, running, host: 2)
            let many = try idle(11, running, host: 3)
            var newcomers: [RawClient] = []
            for host in 4..<10 {
                let client = try running.client(host: UInt8(host))
                #expect(try client.get("/new").status == 200)
                newcomers.append(client)
            }
            for client in few + newcomers { #expect(try client.get("/still").text == "/still") }
            for client in many[..<6] { #expect(isClosed(client)) }
            for client in many[6...] { #expect(try client.get("/still").text == "/still") }
        }
    }

    @Test(arguments: [1, 2]) func keepsBusyConnections(reactors: Int) async throws {
        try await withServer(
            reactors: reactors, { ($0.connections, $0.headTimeout, $0.unfinished) = (16, .seconds(60), .seconds(60)) }
        ) {
            running in
            let waiting = try busy(8, running)
            // Two clients are in the middle of a head, and two are in the middle of a body.
            let halves = try (0..<4).map { _ in try running.client() }
            for client in halves[..<2] { try client.send("GET /half HTTP/1.1\r\n") }
            for client in halves[2...] {
                try client.send(RawClient.request("POST", "/content", ["Content-Length: 3"], body: "a"))
            }
            // A client that does not read its answer.
            let slow = try running.client(receiveBuffer: 4_096)
            try slow.send(RawClient.request("GET", "/big/20000000"))
            #expect(eventuallyBlocking { running.responder.replyCount == 9 && running.server.connectionCount == 13 })
            _ = try idle(3, running)
            for _ in 0..<20 { #expect(try running.client().get("/new").status == 200) }
            running.responder.gate.open()
            for client in waiting { #expect(try client.response().text == "/gate") }
            for client in halves[..<2] {
                try client.send("Host: a\r\n\r\n")
                #expect(try client.response().text == "/half")
            }
            for client in halves[2...] {
                try client.send("bc")
                #expect(try client.response().text == "post abc")
            }
            #expect(try slow.response().body.count == 20_000_000)
        }
    }

    /// The request has arrived in the socket, but it is unread when the new client comes. Such a connection does not
    /// count as idle.
    @Test func answersARequestThatWasNotReadYet() async throws {
        try await withServer({ $0.connections = 2 }) { running in
            let asking = try idle(1, running)[0]
            let holding = try running.holdingClient()
            let newcomer = try running.client()
            try newcomer.send(RawClient.request("GET", "/health"))
            try asking.send(RawClient.request("GET", "/asked"))
            running.responder.release()
            #expect(try asking.response().text == "/asked")
            #expect(try newcomer.response().text == "/health")
            #expect(try holding.response().status == 200)
        }
    }

    /// A connection without a request counts as idle after it had time to send one.
    @Test func closesConnectionsWithoutRequests() async throws {
        try await withServer({ ($0.connections, $0.headTimeout) = (16, .seconds(60)) }) { running in
            let silent = try (0..<16).map { _ in try running.client() }
            #expect(eventuallyBlocking { running.server.connectionCount == 16 })
            usleep(300_000)
            for _ in 0..<8 { #expect(try running.client().get("/new").status == 200) }
            #expect(silent.count == 16)
        }
    }

    @Test(arguments: [1, 2]) func reservesSlotsForThisMachine(reactors: Int) async throws {
        try await withServer(reactors: reactors, { $0.connections = 16 }) { running in
            let waiting = try busy(16, running)
            for _ in 0..<20 {
                // The client gets its answer, and then the server closes the connection.
                let health = try running.client()
                let answer = try health.get("/health")
                #expect(answer.text == "/health" && answer["connection"] == "close")
                #expect(try health.readToEnd().end == .closed)
                // Requests for other paths get no reserved slot.
                let other = try running.client()
                #expect(try other.get("/a").status == 503)
                #expect(try other.readToEnd().end == .closed)
            }
            #expect(eventuallyBlocking { running.server.connectionCount == 16 })
            running.responder.gate.open()
            for client in waiting { #expect(try client.response().text == "/gate") }
        }
    }

    /// A silent connection must not block a reserved slot.
    @Test func closesSilentConnectionOnReservedSlot() async throws {
        try await withServer({ ($0.connections, $0.headTimeout, $0.unfinished) = (2, .seconds(60), .seconds(60)) }) {
            running in
            let waiting = try busy(2, running)
            let silent = try (0..<OpenConnections.reserve).map { _ in try running.client() }
            #expect(eventuallyBlocking { running.server.connectionCount == 10 })
            usleep(300_000)
            // Each new client takes a reserved slot and no ordinary one.
            let operators = try (1...OpenConnections.reserve).map { number in
                let client = try running.client()
                try client.send("GET /hea")
                #expect(
                    eventuallyBlocking {
                        running.onReactor { $0.connections.values.count { $0.isMidRequest } } == number
                    })
                return client
            }
            for client in silent { #expect(isClosed(client)) }
            #expect(running.onReactor { $0.connections.values.count { $0.isReserved } } == OpenConnections.reserve)
            #expect(running.server.connectionCount == 10)
            for client in operators {
                try client.send("lth HTTP/1.1\r\nHost: a\r\n\r\n")
                #expect(try client.response().status == 200)
            }
            #expect(waiting.count == 2)
        }
    }

    /// Otherwise a client from another address could take the slot of an idle reserved connection. The server would
    /// then exceed its connection limit.
    @Test func keepsIdleReservedSlotsFromOtherClients() async throws {
        try await withServer({ ($0.connections, $0.headTimeout) = (2, .seconds(60)) }) { running in
            let waiting = try busy(2, running)
            let silent = try (0..<OpenConnections.reserve).map { _ in try running.client() }
            #expect(eventuallyBlocking { running.server.connectionCount == 10 })
            usleep(300_000)
            #expect(running.onReactor { $0.closeOne(.overdue) || $0.closeOne(.young) } == false)
            #expect(running.onReactor { $0.connections.values.count { $0.isReserved } } == silent.count)
            #expect(running.onReactor { $0.closeOneReserved() } == true)
            #expect(running.server.connectionCount == 9 && waiting.count == 2)
        }
    }

    /// The maximum number of new connections waits for the blocked worker. A further client from this machine still
    /// gets a reserved slot.
    @Test func keepsReservedSlotsDuringAFlood() async throws {
        try await withServer(reactors: 2, { ($0.connections, $0.headTimeout) = (2, .seconds(60)) }) { running in
            // One client is on the first worker and one on the second.
            let waiting = try busy(1, running)
            let holding = try running.holdingClient()
            let flood = try (0..<64).map { _ in try running.client() }
            #expect(eventuallyBlocking { running.server.connectionCount == 66 })
            #expect(try running.client().get("/health").status == 200)
            running.responder.release()
            #expect(try holding.response().status == 200)
            #expect(waiting.count == 1 && flood.count == 64)
        }
    }

    @Test(arguments: [1, 2]) func refusesClientsWhenNoConnectionIsIdle(reactors: Int) async throws {
        try await withServer(
            reactors: reactors, { ($0.connections, $0.headTimeout, $0.unfinished) = (3, .seconds(60), .seconds(60)) }
        ) {
            running in
            let held = try busy(3, running)
            // These clients use the reserved slots, and each is in the middle of its head.
            let halves = try (0..<OpenConnections.reserve).map { _ in try running.client() }
            for client in halves { try client.send("G") }
            #expect(eventuallyBlocking { running.server.connectionCount == 11 })
            var ids: Set<String> = []
            for _ in 0..<10 {
                let client = try running.client()
                try client.send(RawClient.request("GET", "/health"))
                let (bytes, _) = try client.readToEnd()
                let responses = try RawResponse.parseAll(bytes)
                #expect(responses.map(\.status) == [503])
                let response = try #require(responses.first)
                #expect(response["retry-after"] == "1" && response["connection"] == "close")
                #expect(response.text == "limit connections")
                ids.insert(try #require(response["x-request-id"]))
                let format = DateFormatter()
                (format.locale, format.timeZone) = (Locale(identifier: "en_US_POSIX"), TimeZone(identifier: "GMT"))
                format.dateFormat = "EEE, dd MMM yyyy HH:mm:ss 'GMT'"
                let date = try #require(response["date"].flatMap { format.date(from: $0) })
                #expect(abs(date.timeIntervalSinceNow) < 60)
            }
            #expect(ids.count == 10 && !ids.contains("0000000000000000"))
            #expect(running.lines.events("limit").contains { $0.contains("\"peer\":\"127.0.0.1\"") })
            running.responder.gate.open()
            for client in held { #expect(try client.response().text == "/gate") }
            for client in halves {
                try client.send("ET /health HTTP/1.1\r\nHost: a\r\n\r\n")
                #expect(try client.response().status == 200)
            }
            #expect(eventuallyBlocking { running.server.connectionCount == 3 })
            #expect(try running.client().get("/d").status == 200)
        }
    }

    @Test func sendsTheCurrentDateWithARefusal() async throws {
        try await withServer({ ($0.connections, $0.headTimeout, $0.unfinished) = (1, .seconds(60), .seconds(60)) }) {
            running in
            let held = try busy(1, running)
            let halves = try (0..<OpenConnections.reserve).map { _ in try running.client() }
            for client in halves { try client.send("G") }
            #expect(eventuallyBlocking { running.server.connectionCount == 9 })
            var dates: Set<String> = []
            #expect(
                eventuallyBlocking {
                    guard let (bytes, _) = try? running.client().readToEnd(),
                        let date = (try? RawResponse.parseAll(bytes))?.first?["date"]
                    else { return false }
                    dates.insert(date)
                    return dates.count == 2
                })
            #expect(held.count == 1)
        }
    }

    @Test(arguments: [
        ("127.0.0.1", true), ("127.255.0.9", true), ("128.0.0.1", false), ("10.0.0.1", false), ("::1", true),
        ("::2", false),
        ("::", false), ("::ffff:127.0.0.1", true), ("::ffff:126.0.0.1", false), ("fe80::1", false), ("1::1", false),
    ])
    func recognizesLoopbackAddresses(text: String, isLoopback: Bool) throws {
        var storage = sockaddr_storage()
        let isIPv6 = text.contains(":")
        storage.ss_family = sa_family_t(isIPv6 ? AF_INET6 : AF_INET)
        let code = withUnsafeMutableBytes(of: &storage) { bytes in
            inet_pton(isIPv6 ? AF_INET6 : AF_INET, text, bytes.baseAddress?.advanced(by: isIPv6 ? 8 : 4))
        }
        #expect(code == 1)
        #expect(Address.isLoopback(storage) == isLoopback)
    }
}
