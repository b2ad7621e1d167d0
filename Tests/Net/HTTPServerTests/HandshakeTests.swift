import Foundation
import Runtime
import TLS
import TestSupport
import TestTLS
import Testing

@testable import HTTPServer

/// Handshakes that do not end, that are many, or that fail.
@Suite(.blocking) struct HandshakeTests {
    // MARK: Time

    @Test(arguments: [0, 1, 5, 8]) func closesAClientThatNeverEndsItsHandshake(size: Int) async throws {
        try await withSecureServer({ $0.headTimeout = .seconds(0.5) }) { secure in
            let client = try secure.rawClient()
            if size > 0 { try client.send(Array(halfHello.prefix(size))) }
            #expect(try client.readToEnd().bytes.isEmpty)
            #expect(eventuallyBlocking { secure.counts[.timeout] == 1 && secure.server.connectionCount == 0 })
            #expect(secure.running.lines.events("bad_handshake").count == 1)
        }
    }

    /// Single bytes do not extend the time.
    @Test func closesAClientThatTrickles() async throws {
        try await withSecureServer({ $0.headTimeout = .seconds(1) }) { secure in
            let client = try RawClient(port: secure.port, timeout: 0.05)
            try client.send(halfHello)
            let isOver = try eventuallyBlocking {
                // The server may have closed the connection already.
                try? client.send([0])
                do {
                    _ = try client.readToEnd()
                    return true
                } catch RawClient.Failure.timeout { return false }
            }
            #expect(isOver)
            #expect(secure.counts[.timeout] == 1)
        }
    }

    /// The time of a handshake does not count for the first request.
    @Test func givesTheFirstRequestItsOwnTime() async throws {
        try await withSecureServer({ $0.headTimeout = .seconds(0.5) }) { secure in
            let client = try secure.client()
            try client.send("GET /half HT")
            #expect(try client.response().status == 408)
            #expect(secure.counts[.full] == 1 && secure.counts[.timeout] == 0)
        }
    }

    // MARK: Number

    /// The oldest incomplete handshake is closed.
    @Test func limitsIncompleteHandshakes() async throws {
        let limit = 4
        try await withSecureServer(memory: 16 * TLSSession.handshakeBytes * limit, { $0.headTimeout = .seconds(3_600) })
        {
            secure in
            var silent: [RawClient] = []
            for number in 1...limit {
                silent.append(try secure.rawClient())
                #expect(eventuallyBlocking { secure.handshaking == number })
            }
            #expect(try secure.client().get("/a").text == "/a")
            // Room for the client came from the oldest one.
            #expect(try silent[0].readToEnd().bytes.isEmpty)
            #expect(secure.handshaking == limit - 1 && secure.counts[.failed] == 1)
            for _ in 0..<20 {
                silent.append(try secure.rawClient())
                #expect(try secure.client().get("/b").text == "/b")
            }
            #expect(secure.handshaking <= limit)
            #expect(secure.counts[.full] == 21)
        }
    }

    /// Complete handshakes do not count, however many there are.
    @Test func doesNotCountCompleteHandshakes() async throws {
        try await withSecureServer(memory: 16 * TLSSession.handshakeBytes * 4) { secure in
            var clients: [TLSClient] = []
            // Twice as many as handshakes at once. The memory has room for about 12 connections.
            for _ in 0..<8 { clients.append(try secure.client()) }
            for client in clients { #expect(try client.get("/a").text == "/a") }
            #expect(secure.counts[.full] == 8 && secure.counts[.failed] == 0)
        }
    }

    @Test(arguments: [1, 2]) func completesTwoHundredHandshakesAtOnce(reactors: Int) async throws {
        try await withSecureServer(reactors: reactors) { secure in
            try await withThrowingTaskGroup { group in
                for number in 0..<200 {
                    group.addTask {
                        let text = try secure.client().get("/\(number)").text
                        #expect(text == "/\(number)")
                    }
                }
                try await group.waitForAll()
            }
            #expect(secure.counts[.full] == 200 && secure.counts[.failed] == 0 && secure.handshaking == 0)
            #expect(eventuallyBlocking { secure.server.connectionCount == 0 })
        }
    }

    /// A crowd of handshakes and clients that leave in the middle do not stop the others.
    @Test func answersAmongClientsThatLeave() async throws {
        try await withSecureServer(reactors: 2) { secure in
            let client = try secure.client()
            for number in 0..<100 {
                let leaving = try secure.rawClient()
                try leaving.send(Array(halfHello.prefix(number % 9)))
                if number.isMultiple(of: 2) { leaving.vanish() } else { leaving.hangUp() }
                #expect(try client.get("/\(number)").text == "/\(number)")
            }
            #expect(eventuallyBlocking { secure.counts[.failed] == 100 && secure.handshaking == 0 })
        }
    }

    /// Every kind of end gives its place back.
    @Test func countsIncompleteHandshakesExactly() async throws {
        let limit = 4
        try await withSecureServer(memory: 16 * TLSSession.handshakeBytes * limit, { $0.headTimeout = .seconds(3_600) })
        {
            secure in
            for number in 0..<40 {
                let client = try secure.rawClient()
                switch number % 4 {
                case 0: client.hangUp()
                case 1: client.vanish()
                case 2:
                    try client.send(RawClient.request("GET", "/"))
                    _ = try client.readToEnd()
                default:
                    try client.send([UInt8](repeating: 7, count: 100))
                    _ = try client.readToEnd()
                }
                #expect(try secure.client().get("/a").text == "/a")
            }
            #expect(eventuallyBlocking { secure.handshaking == 0 })
            let failed = secure.counts[.failed]
            let silent = try (1...limit).map { number in
                let client = try secure.rawClient()
                #expect(eventuallyBlocking { secure.handshaking == number })
                return client
            }
            #expect(secure.counts[.failed] == failed)
            let next = try secure.rawClient()
            #expect(try silent[0].readToEnd().bytes.isEmpty)
            #expect(eventuallyBlocking { secure.handshaking == limit })
            next.hangUp()
        }
    }

    // MARK: Results

    @Test func countsHandshakesByTheirResult() async throws {
        try await withSecureServer { secure in
            let file = secure.certificate.directory.path + "/session"
            let request = RawClient.request("GET", "/a", ["Connection: close"])
            _ = try secure.openssl(request, "-sess_out", file)
            #expect(secure.counts[.full] == 1)
            #expect(try secure.openssl(request, "-sess_in", file).isResumed)
            #expect(secure.counts[.resumed] == 1)
            _ = try secure.openssl(request, "-tls1_1", "-cipher", "DEFAULT:@SECLEVEL=0")
            #expect(eventuallyBlocking { secure.counts[.failed] == 1 })
            _ = try secure.openssl(request, "-alpn", "h3")
            #expect(eventuallyBlocking { secure.counts[.failed] == 2 })
            let plain = try secure.rawClient()
            try plain.send(request)
            _ = try plain.readToEnd()
            #expect(eventuallyBlocking { secure.counts[.plain] == 1 })
            let left = try secure.rawClient()
            left.hangUp()
            #expect(eventuallyBlocking { secure.counts[.failed] == 3 })
            #expect(secure.counts[.full] == 1 && secure.counts[.resumed] == 1 && secure.counts[.timeout] == 0)
        }
    }

    // MARK: The server stops

    @Test func doesNotWaitForAHandshakeDuringAStop() async throws {
        try await withSecureServer({
            ($0.headTimeout, $0.drain, $0.lastRequest) = (.seconds(3_600), .seconds(3_600), .seconds(0.2))
        }) { secure in
            let clients = [try secure.rawClient(), try secure.rawClient()]
            try clients[1].send(halfHello)
            #expect(eventuallyBlocking { secure.handshaking == 2 })
            await secure.server.stop()
            for client in clients { #expect(try client.readToEnd().bytes.isEmpty) }
        }
    }

    @Test func answersAClientWhoseHandshakeEndsDuringAStop() async throws {
        try await withSecureServer({ $0.lastRequest = .seconds(30) }) { secure in
            let stop = Task {
                _ = await eventually { secure.server.acceptedCount == 1 }
                await secure.running.beginStop()
            }
            let client = try TLSClient(port: secure.port, expecting: secure.chain) {
                #expect(eventuallyBlocking { secure.running.onReactor { $0.isDraining } == true })
            }
            let response = try client.get("/late")
            #expect(response.text == "/late" && response["connection"] == "close")
            #expect(try client.readToEnd().isEmpty)
            await stop.value
        }
    }
}
