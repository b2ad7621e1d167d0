import TestSupport
import Testing

@testable import HTTPServer

/// Connection errors (RFC 9113 5.4.1). The server says why, and everything that the client had is released.
@Suite(.blocking) struct HTTP2ErrorTests {
    struct BadFrames: Sendable, CustomTestStringConvertible {
        var testDescription: String
        /// Makes the frames from the number of the next stream.
        var frames: @Sendable (UInt32) -> [HTTP2Frame]
        var codes: [HTTP2Code]

        init(
            _ testDescription: String, _ codes: HTTP2Code..., frames: @escaping @Sendable (UInt32) -> [HTTP2Frame]
        ) {
            (self.testDescription, self.frames, self.codes) = (testDescription, frames, codes)
        }

        init(_ testDescription: String, _ codes: HTTP2Code..., frame: HTTP2Frame) {
            (self.testDescription, self.frames, self.codes) = (testDescription, { _ in [frame] }, codes)
        }
    }

    private static let block = HTTP2Encoder.block(HTTP2Client.head("GET", "/bad"))

    private static func settings(_ id: UInt8, _ value: UInt32) -> HTTP2Frame { .settings([HTTP2Setting(id, value)]) }

    private static func head(_ stream: UInt32, _ block: [UInt8] = block, flags: UInt8 = 5) -> HTTP2Frame {
        HTTP2Frame(kind: .headers, flags: flags, stream: stream, payload: block)
    }

    static let settingsErrors = [
        BadFrames("SETTINGS on a stream", .protocolError, frame: HTTP2Frame(kind: .settings, stream: 1)),
        BadFrames("SETTINGS of 5 bytes", .frameSize, frame: HTTP2Frame(kind: .settings, payload: [0, 1, 0, 0, 0])),
        BadFrames(
            "SETTINGS that acknowledges and has content", .frameSize,
            frame: HTTP2Frame(kind: .settings, flags: 1, payload: [0, 1, 0, 0, 0, 0])),
        BadFrames("ENABLE_PUSH 2", .protocolError, frame: settings(2, 2)),
        BadFrames("first window of 2^31", .flowControl, frame: settings(4, 1 << 31)),
        BadFrames("frames of 16,383 bytes", .protocolError, frame: settings(5, 16_383)),
        BadFrames("frames of 2^24 bytes", .protocolError, frame: settings(5, 1 << 24)),
        BadFrames("NO_RFC7540_PRIORITIES 2", .protocolError, frame: settings(9, 2)),
        BadFrames(
            "33 settings", .enhanceYourCalm, .protocolError, .frameSize, .internalError,
            frame: .settings((0..<33).map { _ in HTTP2Setting(4, 65_535) })),
    ]

    static let frameErrors = [
        BadFrames("DATA on stream 0", .protocolError, frame: .data([1], on: 0)),
        BadFrames("DATA on an idle stream", .protocolError, .streamClosed, frames: { [.data([1], on: $0)] }),
        BadFrames(
            "DATA with too much padding", .protocolError,
            frames: {
                [head($0, flags: 4), HTTP2Frame(kind: .data, flags: 8, stream: $0, payload: [2, 0])]
            }),
        BadFrames("HEADERS on stream 0", .protocolError, frame: head(0)),
        BadFrames("HEADERS on an even stream", .protocolError, frame: head(100)),
        BadFrames("HEADERS with too much padding", .protocolError, frames: { [head($0, [9, 0], flags: 13)] }),
        BadFrames("HEADERS without content, with a priority", .frameSize, frames: { [head($0, [0, 0], flags: 37)] }),
        BadFrames(
            "PRIORITY on stream 0", .protocolError, frame: HTTP2Frame(kind: .priority, payload: [0, 0, 0, 1, 2])),
        BadFrames("RST_STREAM on stream 0", .protocolError, frame: .reset(0)),
        BadFrames("RST_STREAM on an idle stream", .protocolError, frames: { [.reset($0)] }),
        BadFrames(
            "RST_STREAM of 3 bytes", .frameSize,
            frames: { [head($0, flags: 4), HTTP2Frame(kind: .reset, stream: $0, payload: [0, 0, 8])] }),
        BadFrames(
            "PUSH_PROMISE", .protocolError,
            frames: { [HTTP2Frame(kind: .pushPromise, flags: 4, stream: $0, payload: [0, 0, 0, 2] + block)] }),
        BadFrames(
            "PING on a stream", .protocolError,
            frame: HTTP2Frame(kind: .ping, stream: 1, payload: [1, 2, 3, 4, 5, 6, 7, 8])),
        BadFrames("PING of 7 bytes", .frameSize, frame: .ping("1234567")),
        BadFrames("GOAWAY on a stream", .protocolError, frame: HTTP2Frame(kind: .goAway, stream: 1, payload: block)),
        BadFrames("GOAWAY of 7 bytes", .frameSize, frame: HTTP2Frame(kind: .goAway, payload: [0, 0, 0, 0, 0, 0, 0])),
        BadFrames("WINDOW_UPDATE of 0", .protocolError, frame: .window(0)),
        BadFrames("WINDOW_UPDATE that overflows", .flowControl, frames: { _ in [.window(0x7FFF_FFFF), .window(1)] }),
        BadFrames("WINDOW_UPDATE of 3 bytes", .frameSize, frame: HTTP2Frame(kind: .windowUpdate, payload: [0, 0, 1])),
        BadFrames("WINDOW_UPDATE on an idle stream", .protocolError, frames: { [.window(1, of: $0)] }),
        BadFrames(
            "CONTINUATION without a head", .protocolError,
            frame: HTTP2Frame(kind: .continuation, flags: 4, stream: 1, payload: block)),
        BadFrames("another frame within a head", .protocolError, frames: { [head($0, flags: 1), .ping()] }),
        BadFrames(
            "another stream within a head", .protocolError,
            frames: { [head($0, flags: 1), HTTP2Frame(kind: .continuation, flags: 4, stream: $0 + 2)] }),
        BadFrames(
            "an unknown frame within a head", .protocolError,
            frames: { [head($0, flags: 1), HTTP2Frame(kind: .unknown)] }),
        BadFrames(
            "a frame of 16,385 bytes", .frameSize,
            frames: { [head($0, flags: 4), .data([UInt8](repeating: 0, count: 16_385), on: $0)] }),
        BadFrames("PRIORITY_UPDATE of stream 0", .protocolError, frame: .priority("u=1", of: 0)),
        BadFrames(
            "PRIORITY_UPDATE on a stream", .protocolError,
            frame: HTTP2Frame(kind: .priorityUpdate, stream: 1, payload: [0, 0, 0, 1])),
        BadFrames(
            "PRIORITY_UPDATE of 3 bytes", .frameSize, frame: HTTP2Frame(kind: .priorityUpdate, payload: [0, 0, 1])),
    ]

    /// Blocks that are no HPACK (RFC 7541).
    static let blockErrors: [[UInt8]] = [
        [0x80], [0x80 | 62], [0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF], [0x00, 0x05, 0x61], [0x00],
        // A table of more than 4,096 bytes.
        [0x3F, 0xE2, 0x1F],
        // A change of the table behind a field.
        [0x82, 0x20],
        // A code that ends with wrong padding.
        [0x00, 0x81, 0x00, 0x00],
    ]

    private func expectError(_ codes: [HTTP2Code], _ frames: (UInt32) -> [HTTP2Frame]) async throws {
        try await withHTTP2Server { running in
            let memory = running.budget.used
            let client = try running.http2()
            let work = try running.openWork(client)
            try client.send(frames(work.next))
            let end = try client.goAway()
            #expect(end?.code.map { codes.contains($0) } == true, "\(String(describing: end))")
            #expect(client.goAways.allSatisfy { $0.last >= work.content })
            running.expectRelease(to: memory)
            #expect(try running.http2().get("/other").text == "/other")
        }
    }

    @Test(arguments: settingsErrors + frameErrors) func endsTheConnection(bad: BadFrames) async throws {
        try await expectError(bad.codes, bad.frames)
    }

    @Test(arguments: blockErrors) func refusesABrokenBlock(block: [UInt8]) async throws {
        try await expectError([.compression]) { [Self.head($0, block)] }
    }

    // MARK: The client's end

    @Test(arguments: ["hangs up", "vanishes", "ends its side", "says GOAWAY and hangs up"])
    func releasesEverythingOfAClientThatLeaves(way: String) async throws {
        try await withHTTP2Server { running in
            let memory = running.budget.used
            let link = try PlainLink(port: running.port)
            let client = try HTTP2Client(link)
            _ = try running.openWork(client)
            switch way {
            case "hangs up": link.client.hangUp()
            case "vanishes": link.client.vanish()
            case "ends its side": link.client.finishSending()
            default:
                try client.send(.goAway())
                link.client.hangUp()
            }
            running.expectRelease(to: memory)
        }
    }

    @Test func releasesEverythingAtTheEndOfADrain() async throws {
        try await withHTTP2Server({ ($0.drain, $0.lastRequest) = (.seconds(0.5), .seconds(0.1)) }) { running in
            let memory = running.budget.used
            let client = try running.http2()
            _ = try running.openWork(client)
            await running.server.stop()
            running.expectRelease(to: memory)
        }
    }

    /// Half a frame is no error. The client leaves in the middle of it.
    @Test(arguments: [3, 9, 12]) func releasesAClientThatLeavesInAFrame(size: Int) async throws {
        try await withHTTP2Server { running in
            let memory = running.budget.used
            let link = try PlainLink(port: running.port)
            let client = try HTTP2Client(link)
            let work = try running.openWork(client)
            try link.send(Array(Self.head(work.next).bytes.prefix(size)))
            link.client.hangUp()
            running.expectRelease(to: memory)
        }
    }
}
