import Testing

@testable import RedisClient

/// Parsing of valid and invalid replies.
@Suite struct RedisReplyTests {
    /// Returns all replies in `bytes`. The bytes are fed in pieces of `step` bytes.
    private func replies(_ bytes: [UInt8], step: Int = .max) throws -> [RedisReply] {
        let reader = try #require(ReplyReader())
        var replies: [RedisReply] = []
        var rest = bytes[...]
        while !rest.isEmpty {
            let piece = rest.prefix(step)
            rest = rest.dropFirst(piece.count)
            try piece.withUnsafeBytes { try reader.feed($0) }
            while let reply = try reader.next() { replies.append(reply) }
        }
        return replies
    }

    private func replies(_ text: String, step: Int = .max) throws -> [RedisReply] {
        try replies(Array(text.utf8), step: step)
    }

    private static let mixed =
        "+OK\r\n:-7\r\n$-1\r\n$4\r\na\r\nb\r\n$0\r\n\r\n-ERR no\r\n*3\r\n:1\r\n*2\r\n$1\r\nx\r\n*0\r\n*-1\r\n"

    @Test func readsEveryKindSplitAtEveryByte() throws {
        let expected: [RedisReply] = [
            .status(Array("OK".utf8)), .integer(-7), .null, .bytes(Array("a\r\nb".utf8)), .bytes([]),
            .error(Array("ERR no".utf8)),
            .array([.integer(1), .array([.bytes(Array("x".utf8)), .array([])]), .null]),
        ]
        for step in 1...Self.mixed.utf8.count { #expect(try replies(Self.mixed, step: step) == expected) }
    }

    @Test func namesTheCodeOfAnError() {
        #expect(RedisReply.error(Array("NOSCRIPT No matching script".utf8)).errorCode == "NOSCRIPT")
        #expect(RedisReply.error(Array("\r\n".utf8)).errorCode == "")
        #expect(RedisReply.error(Array(repeating: UInt8(ascii: "A"), count: 100)).errorCode?.count == 32)
        #expect(RedisReply.status(Array("OK".utf8)).errorCode == nil)
    }

    /// Invalid replies (docs/spec/threats.md T50).
    @Test(arguments: [
        "\r\n\r\n", "HTTP/1.1 400 Bad Request\r\n", ":12a\r\n", ":99999999999999999999\r\n", "$-2\r\n", "$x\r\n",
        "*2147483648\r\n", "*2147483647\r\n", "*-2\r\n", "*1\r\n*1025\r\n", "*1025\r\n", "%1\r\n", "*1\r\n!\r\n",
    ])
    func refusesInvalidReplies(_ text: String) {
        #expect(throws: RedisError.protocolViolation) { try replies(text) }
    }

    @Test func acceptsAnArrayOf1024Elements() throws {
        let text = "*1024\r\n" + String(repeating: ":1\r\n", count: 1_024)
        #expect(try replies(text) == [.array(Array(repeating: .integer(1), count: 1_024))])
    }

    @Test func refusesArraysNestedTooDeep() throws {
        #expect(try replies(String(repeating: "*1\r\n", count: 7) + ":1\r\n").count == 1)
        #expect(throws: RedisError.protocolViolation) { try replies(String(repeating: "*1\r\n", count: 9) + ":1\r\n") }
    }

    @Test func limitsAnIncompleteReplyToTwoMebibytes() throws {
        let whole = 2 << 20
        let head = Array("$\(whole)\r\n".utf8)
        let body = [UInt8](repeating: 7, count: whole - head.count)
        #expect(try replies(head + body).isEmpty)
        #expect(throws: RedisError.tooLarge) { try replies(head + body + [7]) }
        // The limit also counts the complete elements of an incomplete array.
        let row = "*1024\r\n" + String(repeating: ":1\r\n", count: 1_024)
        let rows = Array(("*1024\r\n" + String(repeating: row, count: 600)).utf8)
        #expect(throws: RedisError.tooLarge) { try replies(rows, step: 1 << 16).count }
    }

    @Test func writesCommandsAsBulkStrings() {
        var bytes: [UInt8] = []
        RedisCommand("SET", ["k", RedisArgument([0, 13, 10]), RedisArgument(-5)]).write(to: &bytes)
        #expect(
            bytes == Array("*4\r\n$3\r\nSET\r\n$1\r\nk\r\n$3\r\n".utf8) + [0, 13, 10] + Array("\r\n$2\r\n-5\r\n".utf8))
    }

    @Test func namesScriptsByTheirSHA1() {
        #expect(RedisScript("return 1").digest == "e0e1f9fabfc9d4800c877a703b823ac0578ff8db")
    }
}
