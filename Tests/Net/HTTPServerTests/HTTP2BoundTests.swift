import Bytes
import Runtime
import TestSupport
import Testing

@testable import HTTPServer

/// The share of memory that one client of HTTP/2 can hold (docs/spec/threats.md T79).
@Suite(.blocking) struct HTTP2BoundTests {
    /// Runs `body` with a server that has little memory and allows 20 connections.
    private func withLittleMemory(_ body: (RunningServer) async throws -> Void) async throws {
        try await withHTTP2Server(memory: 4 << 20, { $0.connections = 20 }, body)
    }

    /// The heads of all requests come before their content, so that each stream is accepted.
    @Test func boundsContentThatIsKept() async throws {
        try await withLittleMemory { running in
            let memory = running.budget.used
            let client = try running.http2()
            try client.settle()
            let streams = try (0..<60).map { _ in try client.request("POST", "/content", ends: false) }
            let part = [UInt8](repeating: 99, count: 10_000)
            let most = running.budget.most(for: .requests)
            for _ in 0..<5 {
                for stream in streams where !client.answer(stream).isOver {
                    try client.wait { client.answer(stream).isOver || client.mayStillSend(part.count) }
                    try client.send(.data(part, on: stream))
                    client.sentContent += part.count
                }
                #expect(running.budget.used(by: .requests) <= most)
            }
            for stream in streams where !client.answer(stream).isOver {
                try client.send(.data([], on: stream, ends: true))
            }
            var served = 0
            for stream in streams {
                if let code = try client.resetCode(stream) {
                    #expect(code != .protocolError)
                } else {
                    let status = try client.response(stream).status
                    #expect(status == 200 || status == 503)
                    if status == 200 { served += 1 }
                }
            }
            // All requests share 1 MiB, and each content that was served was kept whole.
            #expect(served < 25, "\(served) contents of 50,000 bytes were kept in \(most) bytes")
            #expect(try client.get("/next").text == "/next")
            client.link.close()
            #expect(eventuallyBlocking { running.budget.used == memory })
        }
    }

    /// A single client leaves many responses untaken.
    @Test func boundsResponsesOfOneClient() async throws {
        try await withLittleMemory { running in
            let memory = running.budget.used
            let client = try running.http2([HTTP2Setting(HTTP2Setting.initialWindow, 0)])
            for _ in 0..<100 { _ = try? client.request("GET", "/big/200000") }
            let most = running.budget.most(for: .answers)
            try? client.settle()
            // One response more than the limit may be held.
            let isBounded = eventuallyBlocking(within: 2) { running.heldBytes <= most + 300_000 }
            #expect(isBounded, "\(running.heldBytes) bytes are held, and \(most) are allowed")
            // Another client is served while the first one keeps its connection.
            let other = try running.http2()
            #expect(try other.get("/other").text == "/other")
            other.link.close()
            client.link.close()
            #expect(eventuallyBlocking { running.heldBytes == 0 && running.budget.used == memory })
        }
    }
}

extension HTTP2Client {
    /// Reports whether the window of the connection has room for `count` bytes.
    fileprivate func mayStillSend(_ count: Int) -> Bool { sentContent + count <= sendWindow }
}
