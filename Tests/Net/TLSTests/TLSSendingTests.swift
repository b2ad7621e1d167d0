import Foundation
import TestSupport
import TestUpstream
import Testing

@testable import TLS

/// Tests of large answers through a socket that is full again and again.
@Suite(.blocking) struct TLSSendingTests {
    private let certificate: TestCertificate

    init() throws { certificate = try TestCertificate() }

    private func wire() throws -> Wire {
        let wire = try Wire(certificate.context(), expecting: certificate.chain, buffer: 4_608)
        try #require(wire.handshake())
        return wire
    }

    private func numbers(_ count: Int, seed: UInt64) -> [UInt8] {
        var random = SeededRandom(seed: seed)
        return (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
    }

    /// Receives all that is there.
    private func receive(_ session: TLSSession, _ size: Int) -> [UInt8] {
        var (all, buffer) = ([UInt8](), [UInt8](repeating: 0, count: size))
        while case .bytes(let count, _) = buffer.withUnsafeMutableBytes({ session.receive(into: $0) }) {
            all += buffer[..<count]
        }
        return all
    }

    /// Cuts `bytes` into parts of these sizes, again and again.
    private func parts(_ bytes: [UInt8], _ sizes: [Int]) -> [[UInt8]] {
        var (parts, start, number) = ([[UInt8]](), 0, 0)
        while start < bytes.count {
            let end = min(start + sizes[number % sizes.count], bytes.count)
            parts.append(Array(bytes[start..<end]))
            (start, number) = (end, number + 1)
        }
        return parts
    }

    /// Sends `bytes` in parts of `sizes`, at most `most` parts a call, while the client reads `reads` bytes at a time.
    private func transfer(_ bytes: [UInt8], _ sizes: [Int], most: Int, reads: Int) throws -> (got: [UInt8], stops: Int)
    {
        let wire = try wire()
        var (rest, got, stops) = (parts(bytes, sizes)[...], [UInt8](), 0)
        for _ in 0..<1_000_000 where got.count < bytes.count {
            let now = Array(rest.prefix(most))
            let size = now.reduce(0) { $0 + $1.count }
            let sent = try #require(wire.server.send(now))
            #expect(sent <= size)
            if sent < size { stops += 1 }
            var skip = sent
            while let first = rest.first, skip >= first.count {
                skip -= first.count
                rest.removeFirst()
            }
            if skip > 0 { rest[rest.startIndex].removeFirst(skip) }
            wire.pass(reads)
            got += receive(wire.client, reads)
        }
        return (got, stops)
    }

    @Test(arguments: [
        ([1_000_000], 1, 4_096), ([100, 70_000], 64, 1_000), ([16_384], 3, 65_536), ([16_385, 1], 64, 5_000),
        ([1, 2, 3, 16_383, 40_000], 5, 777), ([50, 20], 64, 300),
    ])
    func carriesLargeContentIntact(sizes: [Int], most: Int, reads: Int) throws {
        let bytes = numbers(400_000, seed: UInt64(reads))
        let (got, stops) = try transfer(bytes, sizes, most: most, reads: reads)
        #expect(got == bytes)
        // The socket has room for a few thousand bytes.
        #expect(stops > 5)
    }

    @Test func takesNothingIfTheSocketIsFull() throws {
        let wire = try wire()
        let bytes = numbers(1_000_000, seed: 1)
        let first = try #require(wire.server.send([bytes]))
        #expect(first < bytes.count)
        for _ in 0..<3 { #expect(wire.server.send([Array(bytes[first...])]) == 0) }
        // The session also receives while it cannot send.
        wire.client.say("hello")
        while wire.pass() { _ = receive(wire.client, 65_536) }
        #expect(wire.server.hear().text == "hello")
    }

    @Test func acceptsEmptyParts() throws {
        let wire = try wire()
        #expect(wire.server.send([]) == 0)
        #expect(wire.server.send([[], [1, 2], [], [3], []]) == 3)
        while wire.pass() {}
        #expect(receive(wire.client, 100) == [1, 2, 3])
    }

    @Test func reportsAClosedSocket() throws {
        let ends = UnsafeMutablePointer<Int32>.allocate(capacity: 2)
        defer { ends.deallocate() }
        try #require(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue), 0, ends) == 0)
        let server = try #require(try TLSSession(certificate.context(), descriptor: ends[0]))
        let client = try #require(try TLSSession(descriptor: ends[1], expecting: certificate.chain))
        for _ in 0..<10 { _ = (client.advanceHandshake(), server.advanceHandshake()) }
        server.say("unread")
        // Unread bytes make the close a reset.
        close(ends[1])
        #expect(server.send([[1]]) == nil)
        let received = server.hear().received
        #expect(received == .broken || received == .end)
        server.finish()
        close(ends[0])
    }
}
