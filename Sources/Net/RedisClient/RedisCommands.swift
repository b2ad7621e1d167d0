import CLibcrypto

/// Redis, as those see it who ask it: the client, or what stands for it in a test.
package protocol RedisCommands: Sendable {
    /// What Redis answers to `command`. Returns within the client's time-out, whatever Redis does.
    func send(_ command: RedisCommand) async throws(RedisError) -> RedisReply

    /// What `script` returns.
    func run(_ script: RedisScript, keys: [RedisArgument], _ arguments: [RedisArgument]) async throws(RedisError)
        -> RedisReply

    /// Whether it is worth the try: Redis is asked, and did not fail of late.
    var isAvailable: Bool { get }
}

extension RedisCommands {
    /// By its digest, and by its source where Redis does not know that one: after a restart, a failover or `SCRIPT FLUSH`.
    package func run(
        _ script: RedisScript, keys: [RedisArgument], _ arguments: [RedisArgument]
    ) async throws(RedisError) -> RedisReply {
        let rest = [RedisArgument(keys.count)] + keys + arguments
        let reply = try await send(RedisCommand("EVALSHA", [RedisArgument(script.digest)] + rest))
        guard reply.errorCode == "NOSCRIPT" else { return reply }
        return try await send(RedisCommand("EVAL", [RedisArgument(script.source)] + rest))
    }
}

/// A script in Lua, which Redis runs as one step that no other command divides.
package struct RedisScript: Sendable {
    package let source: String
    /// What Redis calls it: the SHA-1 of the source, 40 hexadecimal digits.
    package let digest: String

    package init(_ source: String) {
        self.source = source
        var digest = [UInt8](repeating: 0, count: 20)
        Array(source.utf8).withUnsafeBytes { bytes in sha1_of(bytes.baseAddress, bytes.count, &digest) }
        self.digest = String(
            decoding: digest.flatMap { [Self.digits[Int($0 >> 4)], Self.digits[Int($0 & 15)]] }, as: UTF8.self)
    }

    private static let digits = Array("0123456789abcdef".utf8)
}
