import Glibc
import Runtime
import Synchronization
import TestSupport
import Testing

@testable import HTTPServer

/// A full server closes connections whose client does not read its answers, so that new clients get a connection
/// (docs/spec/threats.md T10a).
@Suite(.blocking) struct UnreadAnswerTests {
    /// The answers are larger than the socket buffers of server and client.
    private static let requests = String(repeating: RawClient.request("GET", "/big/20000"), count: 1_000)

    /// The server's connections in the order in which their clients came.
    private final class Arrivals: Sendable {
        let connections = Mutex<[ObjectIdentifier]>([])
    }
    private let arrivals = Arrivals()

    /// Connects clients as 127.0.0.`host` that do not read their answers. For the server, the clients that came first
    /// have waited for the longest time.
    private func unread(_ count: Int, _ running: RunningServer, host: UInt8) throws -> [RawClient] {
        let clients = try (0..<count).map { _ in
            let client = try running.client(receiveBuffer: 4_096, host: host)
            try client.send(Self.requests)
            #expect(eventuallyBlocking { hasArrived(running) })
            return client
        }
        // The kernel fills the last part of a client's window after 0.2 s.
        #expect(
            eventuallyBlocking {
                let before = confirmed(running)
                usleep(500_000)
                return before.count >= count && before == confirmed(running)
            })
        age(running)
        return clients
    }

    /// Records a new connection that has a waiting answer. Returns false if there is no such connection.
    private func hasArrived(_ running: RunningServer) -> Bool {
        let waiting = running.onReactor { worker in
            worker.connections.values.filter { !$0.outbox.isEmpty }.map { ObjectIdentifier($0) }
        }
        return arrivals.connections.withLock { known in
            guard let new = waiting?.first(where: { !known.contains($0) }) else { return false }
            known.append(new)
            return true
        }
    }

    /// Sets the times so that clients have waited since zero, in the order in which they came. The kernel may take
    /// bytes for a client that does not read, even seconds later. Tests that compare clients therefore call this
    /// function again before each new client.
    private func age(_ running: RunningServer) {
        let known = arrivals.connections.withLock { $0 }
        _ = running.onReactor { worker in
            for connection in worker.connections.values {
                guard let order = known.firstIndex(of: ObjectIdentifier(connection)) else { continue }
                _ = connection.isUnread(for: .zero)
                connection.takenAt = .zero.adding(seconds: Double(order))
            }
        }
    }

    /// Returns the number of confirmed bytes for each client that has not taken its whole answer.
    private func confirmed(_ running: RunningServer) -> [UInt64] {
        running.onReactor { worker in
            worker.connections.values.filter { !$0.outbox.isEmpty }.compactMap {
                Socket.progress($0.descriptor)?.confirmed
            }
        }?.sorted() ?? []
    }

    private func isOneMidRequest(_ running: RunningServer) -> Bool {
        // Requests also wait behind an unread answer, so only connections with an empty outbox count.
        running.onReactor { $0.connections.values.contains { $0.isMidRequest && $0.outbox.isEmpty } } == true
    }

    private func wasReset(_ client: RawClient) throws -> Bool { try client.readToEnd().end == .reset }

    @Test func closesLongestUnreadConnectionOfLargestAddress() async throws {
        try await withServer({ ($0.connections, $0.unread) = (8, .zero) }) { running in
            // These connections are older, but there are few of them.
            let few = try unread(2, running, host: 2)
            let many = try unread(6, running, host: 3)
            var newcomers: [RawClient] = []
            for number in 4..<7 {
                age(running)
                newcomers.append(try running.client(host: UInt8(number)))
                #expect(try newcomers[number - 4].get("/\(number)").text == "/\(number)")
                #expect(try wasReset(many[number - 4]))
            }
            #expect(try few[0].response().status == 200 && many[3].response().status == 200)
            let lines = running.lines.events("limit").filter { $0.contains("\"why\":\"unread\"") }
            #expect(lines.count == 3)
        }
    }

    /// The unfinished request has waited for less time, but its client loses only half a head.
    @Test func closesUnfinishedRequestsBeforeUnreadAnswers() async throws {
        try await withServer({ ($0.connections, $0.unread, $0.unfinished) = (4, .zero, .zero) }) { running in
            let clients = try unread(3, running, host: 2)
            let half = try running.client(host: 2)
            try half.send("GET /half HTTP/1.1\r\n")
            #expect(eventuallyBlocking { isOneMidRequest(running) })
            #expect(try running.client(host: 3).get("/new").status == 200)
            #expect(try half.response().status == 408)
            for client in clients { #expect(try client.response().status == 200) }
        }
    }

    /// Otherwise a client that reconnects at once, even with two addresses, would use up all connections that may be
    /// closed.
    @Test func refusesAddressesWithNearlyAsManyConnections() async throws {
        try await withServer({ ($0.connections, $0.unread) = (8, .zero) }) { running in
            let one = try unread(5, running, host: 2)
            let other = try unread(3, running, host: 3)
            for host in [UInt8(2), 3] { #expect(try running.client(host: host).get("/more").status == 503) }
            age(running)
            #expect(try running.client(host: 4).get("/new").text == "/new")
            #expect(try wasReset(one[0]))
            for client in one[1...] + other { #expect(try client.response().status == 200) }
        }
    }

    /// A client that has taken bytes recently keeps its connection.
    @Test func keepsClientsThatRead() async throws {
        try await withServer({ ($0.connections, $0.unread) = (2, .seconds(60)) }) { running in
            let slow = try unread(2, running, host: 2)
            _ = running.onReactor { worker in
                for connection in worker.connections.values { connection.takenAt = worker.reactor.now }
            }
            #expect(try running.client(host: 3).get("/new").status == 503)
            for client in slow { #expect(try client.response().status == 200) }
        }
    }

    /// The socket buffer holds so many bytes that the server sends nothing for a long time. The kernel reports whether
    /// the client still reads.
    @Test(arguments: [true, false]) func detectsBytesThatTheClientTook(reads: Bool) async throws {
        try await withServer { running in
            let client = try unread(1, running, host: 2)[0]
            try running.hold(
                { connection in
                    _ = connection.isUnread(for: .zero)
                    connection.takenAt = .zero
                },
                while: {
                    if reads { #expect(try client.response().status == 200) }
                    // The reactor continues when this byte has arrived.
                    try client.send("G")
                },
                then: { connection in
                    // The check allows for a slow machine. A client that reads is not behind for the whole time since
                    // zero.
                    let sinceStart = MonotonicTime.now().seconds(since: .zero)
                    #expect(connection.isUnread(for: .seconds(sinceStart / 2)) == !reads)
                })
        }
    }

    /// This address has the most connections, so the server closes no connections of other addresses for it, not even
    /// young ones.
    @Test func keepsOtherAddressesWhenTheLargestConnects() async throws {
        try await withServer({ ($0.connections, $0.headTimeout, $0.unfinished) = (4, .seconds(60), .seconds(60)) }) {
            running in
            let waiting = try (0..<3).map { number in
                let client = try running.client(host: 2)
                try client.send(RawClient.request("GET", "/gate"))
                #expect(eventuallyBlocking { running.responder.replyCount == number + 1 })
                return client
            }
            let half = try running.client(host: 3)
            try half.send("GET /half HTTP/1.1\r\n")
            #expect(eventuallyBlocking { isOneMidRequest(running) })
            #expect(try running.client(host: 2).get("/more").status == 503)
            try half.send("Host: a\r\n\r\n")
            #expect(try half.response().text == "/half")
            running.responder.gate.open()
            for client in waiting { #expect(try client.response().text == "/gate") }
        }
    }
}
