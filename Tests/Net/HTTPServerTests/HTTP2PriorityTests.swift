import TestSupport
import Testing

@testable import HTTPServer

/// The order of responses (RFC 9218).
@Suite(.blocking) struct HTTP2PriorityTests {
    private static let size = 40_000

    /// Requests bodies while the connection has no window, with a value of `Priority` for each. Then calls `change`,
    /// and allows everything.
    ///
    /// - Returns: the indexes of the requests in the order in which their content arrived. Neighbours are different.
    private func order(
        of priorities: [String], _ change: (HTTP2Client, [UInt32]) throws -> Void = { _, _ in }
    ) async throws -> [Int] {
        var order: [Int] = []
        try await withHTTP2Server { running in
            let client = try running.http2([HTTP2Setting(HTTP2Setting.initialWindow, 1 << 20)])
            client.givesWindow = false
            let first = try client.request("GET", "/big/65535")
            _ = try client.response(first)
            let streams = try priorities.map { priority in
                let fields = priority.isEmpty ? [] : [HTTP2Field("priority", priority)]
                return try client.request("GET", "/big/\(Self.size)", fields)
            }
            try client.settle()
            let start = client.frames.count
            try change(client, streams)
            try client.send(.window(1 << 20))
            for stream in streams { #expect(try client.response(stream).body.count == Self.size) }
            for frame in client.frames[start...] where frame.kind == .data && !frame.payload.isEmpty {
                guard let index = streams.firstIndex(of: frame.stream) else { continue }
                if order.last != index { order.append(index) }
            }
        }
        return order
    }

    // RFC 9218 4.1, 10
    @Test func sendsUrgentResponsesFirst() async throws {
        #expect(try await order(of: ["u=5", "u=1", "", "u=0", "u=7"]) == [3, 1, 2, 0, 4])
    }

    // RFC 9218 4.2
    @Test func sendsResponsesOfOneUrgencyInTheOrderOfTheirRequests() async throws {
        #expect(try await order(of: ["", "", ""]) == [0, 1, 2])
        #expect(try await order(of: ["u=1", "u=1", "u=1, i=?0"]) == [0, 1, 2])
    }

    @Test func sharesBetweenIncrementalResponses() async throws {
        let order = try await order(of: ["i", "i", "u=3, i"])
        #expect(order.count > 3 && Set(order.prefix(3)) == [0, 1, 2])
    }

    // RFC 9218 7.1
    @Test func followsAPriorityUpdate() async throws {
        let changed = try await order(of: ["", "", "", ""]) { client, streams in
            try client.send(.priority("u=0", of: streams[2]), .priority("u=6", of: streams[0]))
        }
        #expect(changed == [2, 1, 3, 0])
    }

    /// A frame may come before its request.
    @Test func keepsAPriorityUpdateForALaterRequest() async throws {
        var later: UInt32 = 0
        let order = try await order(of: [""]) { client, streams in
            later = streams[0] + 2
            try client.send(.priority("u=0", of: later))
            try client.request("GET", "/big/\(Self.size)")
            // The response to the later request comes first, although its request is the last.
            try client.send(.window(100))
            try client.wait { client.answer(later).body.count == 100 }
            #expect(client.answer(streams[0]).body.isEmpty)
            try client.send(.window(UInt32(Self.size)))
            #expect(try client.response(later).body.count == Self.size)
        }
        #expect(order.first == 0)
    }

    /// A malformed value is ignored (RFC 9218 4).
    @Test(arguments: ["u=9", "u=x", "???", "u=3, i, (", "u=-1"])
    func ignoresMalformedPriorities(value: String) async throws {
        try await withHTTP2Server { running in
            let client = try running.http2()
            let stream = client.nextStream()
            try client.send(.priority(value, of: stream))
            let head = HTTP2Client.head("GET", "/a", [HTTP2Field("priority", value)])
            try client.send(HTTP2Frame.head(HTTP2Encoder.block(head), on: stream))
            #expect(try client.response(stream).text == "/a")
            try client.send(.priority("u=0", of: stream))
            #expect(try client.get("/b").text == "/b")
        }
    }

    /// Priorities for requests that never come hold no memory without bound.
    @Test func boundsPrioritiesForLaterRequests() async throws {
        try await withHTTP2Server { running in
            let client = try running.http2()
            try client.settle()
            let value = "u=1, x=\"" + String(repeating: "y", count: 200) + "\""
            for number in 0..<1_000 { try client.send(.priority(value, of: UInt32(number * 2 + 101))) }
            // The server may end the connection (RFC 9218 7.1). Otherwise the connection goes on.
            do {
                #expect(try client.get("/a").text == "/a")
            } catch {
                #expect(client.goAways.last.map { $0.code != HTTP2Code.none } == true)
            }
        }
    }
}
