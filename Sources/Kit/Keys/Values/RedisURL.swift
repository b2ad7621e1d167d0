import Bytes

/// The URL of a Redis or Valkey server, such as `redis://user:password@redis.internal:6379/0`.
public struct RedisURL: Sendable, Equatable {
    /// A name, an IPv4 address, or an IPv6 address without brackets.
    public var host: String
    /// The TCP port. 6379 if the URL has none.
    public var port: UInt16
    /// The user. Nil means the default user.
    public var user: String?
    /// The password. Nil means that Redis requires none.
    public var password: String?
    /// The number of the database, 0…9,999.
    public var database: Int

    /// Creates the URL of a server at `host`.
    public init(
        host: String, port: UInt16 = 6_379, user: String? = nil, password: String? = nil, database: Int = 0
    ) {
        self.host = host
        self.port = port
        self.user = user
        self.password = password
        self.database = database
    }

    /// Parses the URL. Returns nil for anything else.
    public init?(_ text: String) {
        do throws(ValueError) {
            guard let url = try Self.read(text) else { return nil }
            self = url
        } catch {
            return nil
        }
    }

    static func read(_ text: String) throws(ValueError) -> RedisURL? {
        let bytes = Array(text.utf8)
        guard let slashes = bytes.firstRange(of: "://".utf8) else { return nil }
        switch String(decoding: bytes[..<slashes.lowerBound].map(ASCII.lowercased), as: UTF8.self) {
        case "redis", "valkey": break
        case "rediss", "valkeys":
            throw ValueError(
                "TLS to Redis is not supported: run stunnel for TLS, and write the redis:// URL of stunnel")
        case "sentinel", "redis-sentinel", "redis+sentinel":
            throw ValueError(
                "Sentinel is not supported: run HAProxy to find the master (option redis-check), and write the "
                    + "redis:// URL of HAProxy"
            )
        case "unix", "redis-socket", "redis+unix":
            throw ValueError("a Unix socket is not supported: write an address such as redis://127.0.0.1:6379")
        default: return nil
        }
        var authority = bytes[slashes.upperBound...].prefix { $0 != UInt8(ascii: "/") }
        let path = bytes[authority.endIndex...].dropFirst()
        guard let database = database(path) else { return nil }
        var url = RedisURL(host: "", database: database)
        if let at = authority.lastIndex(of: UInt8(ascii: "@")) {
            guard url.takeUser(authority[..<at]) else { return nil }
            authority = authority[(at + 1)...]
        }
        return url.takeHost(authority) ? url : nil
    }

    private static func database(_ path: ArraySlice<UInt8>) -> Int? {
        if path.isEmpty { return 0 }
        return path.count <= 4 ? ASCII.decimal(path) : nil
    }

    /// Takes `user:password` or `:password`, percent-decoded. Returns false if the text is invalid, or has a user
    /// without a password.
    private mutating func takeUser(_ text: ArraySlice<UInt8>) -> Bool {
        let name = text.prefix { $0 != UInt8(ascii: ":") }
        guard let user = Self.decoded(name), let password = Self.decoded(text[name.endIndex...].dropFirst()) else {
            return false
        }
        self.user = user.isEmpty ? nil : user
        self.password = password.isEmpty ? nil : password
        // AUTH requires a password if there is a user.
        return self.user == nil || self.password != nil
    }

    private static func decoded(_ text: ArraySlice<UInt8>) -> String? {
        var bytes: [UInt8] = []
        var rest = text
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                guard (0x21...0x7E).contains(byte) else { return nil }
                bytes.append(byte)
                continue
            }
            guard let high = rest.popFirst().flatMap(ASCII.hexValue), let low = rest.popFirst().flatMap(ASCII.hexValue)
            else { return nil }
            bytes.append(high << 4 | low)
        }
        return bytes.count <= 512 ? String(validating: bytes, as: UTF8.self) : nil
    }

    private mutating func takeHost(_ text: ArraySlice<UInt8>) -> Bool {
        guard isAuthority(text) else { return false }
        let isBracketed = text.first == UInt8(ascii: "[")
        let end = isBracketed ? text.firstIndex(of: UInt8(ascii: "]")) : text.firstIndex(of: UInt8(ascii: ":"))
        let host = text[..<(end ?? text.endIndex)]
        let digits = text.reversed().prefix(while: ASCII.isDigit)
        if text.dropLast(digits.count).last == UInt8(ascii: ":"), let end, end < text.endIndex {
            guard let port = UInt16(String(decoding: digits.reversed(), as: UTF8.self)) else { return false }
            self.port = port
        }
        self.host = String(decoding: isBracketed ? host.dropFirst() : host, as: UTF8.self)
        return true
    }
}

extension RedisURL: CustomStringConvertible, CustomReflectable {
    /// The URL with `***` instead of user and password.
    public var description: String {
        let name = host.utf8.contains(UInt8(ascii: ":")) ? "[\(host)]" : host
        return "redis://\(password == nil ? "" : "***@")\(name):\(port)/\(database)"
    }

    /// Hides the user and the password.
    public var customMirror: Mirror { Mirror(self, children: ["url": description]) }
}

extension ValueRule where Value == RedisURL {
    /// The URL of a Redis server.
    package static var redisURL: ValueRule {
        ValueRule(
            expected: "a URL such as redis://127.0.0.1:6379/0", isSecret: true,
            schema: ["type": "string", "pattern": "^([Rr][Ee][Dd][Ii][Ss]|[Vv][Aa][Ll][Kk][Ee][Yy])://[^ ]+$"],
            write: { .text($0.description) }
        ) { scalar throws(ValueError) in
            guard let text = scalar.string else { return nil }
            return try RedisURL.read(text)
        }
    }
}
