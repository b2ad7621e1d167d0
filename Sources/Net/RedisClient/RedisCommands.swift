import CLibcrypto

/// The interface to Redis: the client, or a substitute in a test.
package protocol RedisCommands: Sendable {
    /// Sends `command` and returns the reply of Redis. Throws the reason if there is no reply.
    func send(_ command: RedisCommand) async throws(RedisError) -> RedisReply

    /// Runs `script` on the Redis server and returns its result. `keys` are the keys that the script uses.
    func run(_ script: RedisScript, keys: [RedisArgument], _ arguments: [RedisArgument]) async throws(RedisError)
        -> RedisReply

    /// False after the client has found Redis down, until Redis answers again, and after the client is closed.
    var isAvailable: Bool { get }
}

extension RedisCommands {
    /// Runs the script by its digest. If Redis does not know the digest, for example after a restart, sends the source.
    package func run(
        _ script: RedisScript, keys: [RedisArgument], _ arguments: [RedisArgument]
    ) async throws(RedisError) -> RedisReply {
        let rest = [RedisArgument(keys.count)] + keys + arguments
        let reply = try await send(RedisCommand("EVALSHA", [RedisArgument(script.digest)] + rest))
        guard reply.errorCode == "NOSCRIPT" else { return reply }
        return try await send(RedisCommand("EVAL", [RedisArgument(script.source)] + rest))
    }
}

/// A Lua script, which Redis runs as one atomic step.
package struct RedisScript: Sendable {
    package let source: String
    /// Redis' name for the script: the SHA-1 of the source, 40 hexadecimal digits.
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
