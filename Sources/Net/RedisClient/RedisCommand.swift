import Keys
import Bytes

/// An argument of a command, as bytes.
package struct RedisArgument: Sendable, ExpressibleByStringLiteral {
    fileprivate enum Value {
        case text(String)
        case bytes([UInt8])
        case shared(SharedBytes)
    }

    fileprivate let value: Value

    package init(_ text: String) { value = .text(text) }
    package init(_ bytes: [UInt8]) { value = .bytes(bytes) }
    /// Creates an argument from `bytes` without a copy.
    package init(_ bytes: SharedBytes) { value = .shared(bytes) }
    package init(_ number: Int) { value = .text(String(number)) }
    package init(stringLiteral text: String) { value = .text(text) }

    /// A copy of the bytes.
    package var bytes: [UInt8] {
        switch value {
        case .text(let text): Array(text.utf8)
        case .bytes(let bytes): bytes
        case .shared(let bytes): bytes.array
        }
    }

    var count: Int {
        switch value {
        case .text(let text): text.utf8.count
        case .bytes(let bytes): bytes.count
        case .shared(let bytes): bytes.count
        }
    }

    fileprivate func write(to target: inout [UInt8]) {
        switch value {
        case .text(let text): target += text.utf8
        case .bytes(let bytes): target += bytes
        case .shared(let bytes): withExtendedLifetime(bytes) { target += bytes.buffer }
        }
    }
}

/// A Redis command with its arguments, such as `GET` with a key.
package struct RedisCommand: Sendable {
    /// The name, such as `GET`.
    package let name: String
    package let arguments: [RedisArgument]

    package init(_ name: StaticString, _ arguments: [RedisArgument] = []) {
        self.name = name.description
        self.arguments = arguments
    }

    /// Upper bound of the command's bytes on the wire.
    var size: Int { arguments.reduce(64) { $0 + $1.count + 32 } }

    /// Writes the command in Redis' format, an array of bulk strings.
    func write(to target: inout [UInt8]) {
        target.reserveCapacity(target.count + size)
        target += "*\(arguments.count + 1)\r\n".utf8
        for argument in [RedisArgument(name)] + arguments {
            target += "$\(argument.count)\r\n".utf8
            argument.write(to: &target)
            target += "\r\n".utf8
        }
    }
}

extension RedisURL {
    /// The first commands on a connection. The last is `PING`, whose reply shows whether Redis serves commands.
    var greeting: [RedisCommand] {
        var commands: [RedisCommand] = []
        if let password {
            commands.append(RedisCommand("AUTH", (user.map { [RedisArgument($0)] } ?? []) + [RedisArgument(password)]))
        }
        if database != 0 { commands.append(RedisCommand("SELECT", [RedisArgument(database)])) }
        return commands + [RedisCommand("PING")]
    }
}
