import Bytes
import Foundation
import Runtime
import TestSupport
import Testing

@testable import HTTPServer

/// The memory that clients can make the server use is limited (docs/spec/threats.md 2, T58).
@Suite(.blocking) struct MemoryTests {
    private static let memory = 4 << 20

    /// Runs `body` with a server that has little memory and allows 40 connections.
    private func withLittleMemory(_ body: (RunningServer) async throws -> Void) async throws {
        try await withServer(memory: Self.memory, { $0.connections = 40 }, body)
    }

    /// Takes all memory that requests may have.
    private func fill(_ budget: MemoryBudget) {
        budget.add(budget.most(for: .requests) - budget.used(by: .requests), for: .requests)
    }

    private func post(_ path: String, _ content: String, of length: Int? = nil) -> String {
        "POST \(path) HTTP/1.1\r\nHost: a\r\nContent-Length: \(length ?? content.utf8.count)\r\n\r\n\(content)"
    }

    private func isRefused(_ response: RawResponse) -> Bool {
        response.status == 503 && response["retry-after"] == "1" && response["connection"] == "close"
    }

    @Test func refusesContentWithoutMemory() async throws {
        try await withLittleMemory { running in
            let part = String(repeating: "x", count: 60_000)
            var clients: [RawClient] = []
            for count in 1...30 {
                let client = try running.client()
                try client.send(post("/content", part, of: 60_001))
                clients.append(client)
                #expect(
                    eventuallyBlocking { running.keptContents(of: 60_000) + running.responder.shortages.value == count }
                )
                #expect(running.budget.used(by: .requests) <= running.budget.most(for: .requests))
            }
            // All kept contents share 1 MiB.
            let kept = running.keptContents(of: 60_000)
            #expect(kept >= 8 && kept < 18)
            // Small requests need almost no memory, so they are still served.
            let small = try running.client()
            try small.send(post("/content", "hello"))
            #expect(try small.response().text == "post hello")
            try small.send("GET /a HTTP/1.1\r\nHo")
            #expect(eventuallyBlocking { running.keptBytes.contains(19) })
            try small.send("st: a\r\n\r\n")
            #expect(try small.response().text == "/a")

            var served = 0
            for client in clients {
                // The write fails if the server has already closed the connection.
                try? client.send("x")
                let response = try client.response()
                if response.status == 200 { served += 1 } else { #expect(isRefused(response)) }
            }
            #expect(served == kept)
            for client in clients { client.hangUp() }
            small.hangUp()
            #expect(eventuallyBlocking { running.budget.used == 40 * HTTPServer.connectionBytes })
        }
    }

    @Test func refusesAHeadWithoutMemory() async throws {
        try await withLittleMemory { running in
            fill(running.budget)
            let client = try running.client()
            try client.send("GET /a HTTP/1.1\r\nX: " + String(repeating: "x", count: 4_000))
            #expect(isRefused(try client.response()))
            #expect(try client.readToEnd().end == .closed)
        }
    }

    /// The memory of a content reader counts like kept content.
    @Test func refusesContentThatItsReaderCannotKeep() async throws {
        try await withLittleMemory { running in
            let client = try running.client()
            try client.send(post("/read", String(repeating: "x", count: 20_000)))
            #expect(try client.response().text == "20000 2400000 0")
            let other = try running.client()
            try other.send(post("/read", String(repeating: "x", count: 190_000), of: 200_000))
            #expect(isRefused(try other.response()))
            for client in [client, other] { client.hangUp() }
            #expect(eventuallyBlocking { running.budget.used == 40 * HTTPServer.connectionBytes })
        }
    }

    /// Answers to earlier requests are still sent.
    @Test func endsAPipelineWithoutMemory() async throws {
        try await withLittleMemory { running in
            fill(running.budget)
            let client = try running.client()
            try client.send(RawClient.request("GET", "/first"))
            #expect(try client.response().text == "/first")
            try running.hold(while: {
                try client.send((0..<900).map { RawClient.request("GET", "/n\($0)") }.joined())
            }) { $0.isReady(.readable) }
            let responses = try RawResponse.parseAll(try client.readToEnd().bytes)
            // The number depends on how many requests had arrived when the server read. One turn has at most 64.
            let answered = responses.dropLast().map(\.text)
            #expect((1...64).contains(answered.count))
            #expect(answered == answered.indices.map { "/n\($0)" })
            #expect(responses.last.map(isRefused) == true)
        }
    }

    @Test func answersTheRunningRequestAndDropsLaterOnes() async throws {
        try await withLittleMemory { running in
            fill(running.budget)
            let client = try running.client()
            let behind = (0..<100).map { RawClient.request("GET", "/n\($0)") }.joined()
            try client.send(RawClient.request("GET", "/gate") + behind)
            #expect(eventuallyBlocking { running.lines.events("limit").count == 1 })
            running.responder.gate.open()
            let responses = try RawResponse.parseAll(try client.readToEnd().bytes)
            #expect(responses.map(\.text) == ["/gate"] && responses.first?["connection"] == "close")
        }
    }

    /// The content counts until its answer is made, also after the client has left.
    @Test func countsContentUntilItsAnswerIsMade() async throws {
        try await withLittleMemory { running in
            let before = running.budget.used
            let client = try running.client()
            try client.send(post("/gate", String(repeating: "x", count: 10_000)))
            #expect(eventuallyBlocking { running.budget.used - before >= 20_000 })
            client.vanish()
            #expect(eventuallyBlocking { running.server.connectionCount == 0 })
            #expect(running.budget.used - before >= 20_000)
            running.responder.gate.open()
            #expect(eventuallyBlocking { running.budget.used == before })

            fill(running.budget)
            let late = try running.client()
            try late.send(post("/gate", String(repeating: "x", count: 10_000)))
            #expect(isRefused(try late.response()))
        }
    }

    /// An answer that a client does not take may leave no memory for other answers. The server then resets that client.
    @Test func resetsTheClientThatStalledLongest() async throws {
        try await withLittleMemory { running in
            let stalled = try running.client(receiveBuffer: 4_096)
            try stalled.send(RawClient.request("GET", "/big/20000000"))
            #expect(eventuallyBlocking { running.budget.used(by: .answers) > 16_000_000 })
            let honest = try running.client()
            try honest.send(RawClient.request("GET", "/big/20000001"))
            #expect(try honest.response().body.count == 20_000_001)
            #expect(try stalled.readToEnd().end == .reset)
            #expect(running.lines.events("client_stall").count == 1)
            #expect(eventuallyBlocking { running.budget.used(by: .answers) == 0 })
        }
    }

    @Test func countsALargeTileAsAnAnswerOnly() {
        let budget = MemoryBudget(bytes: 8 << 20)
        do {
            let held = HeldAnswers(budget, oneOf: 1)
            let tile = SharedBytes([UInt8](repeating: 1, count: 600_000))
            tile.keep(budget.holding(600_000))
            for _ in 0..<2 { held.hold(tile) }
            #expect(budget.used(by: .encodedTiles) == 0 && budget.used(by: .answers) >= 600_000)
            held.release(tile)
            #expect(budget.used(by: .encodedTiles) == 0)
            held.release(tile)
            #expect(budget.used(by: .encodedTiles) == 600_000 && budget.used(by: .answers) < 600_000)
        }
        #expect(budget.used == 0)
    }

    @Test func countsSharedAnswersOnce() {
        let budget = MemoryBudget(bytes: 8 << 20)
        do {
            let held = HeldAnswers(budget, oneOf: 2)
            #expect(held.most == 1 << 20)
            let (tile, other) = (SharedBytes([UInt8](repeating: 1, count: 600_000)), SharedBytes([1, 2, 3]))
            for _ in 0..<1_000 { held.hold(tile) }
            held.hold(other)
            #expect(held.bytes > 600_000 && held.bytes < 601_000 && !held.isOver)
            #expect(budget.used(by: .answers) >= held.bytes && budget.used(by: .answers) < held.bytes + 65_536)
            for _ in 0..<999 { held.release(tile) }
            #expect(held.bytes > 600_000)
            held.release(tile)
            #expect(held.bytes < 1_000)
            let more = SharedBytes([UInt8](repeating: 1, count: 1 << 20))
            held.hold(more)
            #expect(held.isOver)
        }
        #expect(budget.used == 0)
    }
}

extension RunningServer {
    /// Number of bytes of an incomplete head that each connection keeps.
    fileprivate var keptBytes: [Int] {
        onReactor { worker in worker.connections.values.compactMap { $0.leftover?.count } } ?? []
    }

    /// Returns the number of connections that keep exactly `count` bytes of an incomplete content.
    fileprivate func keptContents(of count: Int) -> Int {
        onReactor { worker in
            worker.connections.values.filter { connection in
                guard case .draining(let drain, _) = connection.phase else { return false }
                return drain.content?.count == count
            }.count
        } ?? 0
    }
}
