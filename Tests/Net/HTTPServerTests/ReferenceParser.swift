/// A second parser for RFC 9112 that was written independently of the server's parser. It is slow and simple: lines are
/// arrays, and there are no limits and no state.
///
/// The parser is as strict as docs/spec/threats.md T01 to T07 requires. It decides only whether a head is acceptable
/// and how its content is framed.
struct ReferenceParser {
    enum Framing: Equatable { case none, length(Int), chunked }

    private static let tokenBytes = Set("!#$%&'*+-.^_`|~0123456789".utf8)
        .union(Array(UInt8(ascii: "a")...UInt8(ascii: "z"))).union(Array(UInt8(ascii: "A")...UInt8(ascii: "Z")))
    private static let nameBytes = Set("0123456789.-_".utf8)
        .union(Array(UInt8(ascii: "a")...UInt8(ascii: "z"))).union(Array(UInt8(ascii: "A")...UInt8(ascii: "Z")))

    /// Returns the framing of the content, or nil if the head is refused. `bytes` must contain the empty line that ends
    /// the head.
    static func framing(of bytes: [UInt8]) -> Framing? {
        guard let lines = lines(of: bytes), let first = lines.first else { return nil }
        let words = first.split(separator: 32, omittingEmptySubsequences: false).map(Array.init)
        guard words.count == 3, isToken(words[0]), !words[1].isEmpty,
            words[1].allSatisfy({ (0x21...0x7E).contains($0) })
        else { return nil }
        guard words[2].count == 8, words[2].starts(with: "HTTP/1.".utf8), (48...57).contains(words[2][7]) else {
            return nil
        }
        let isHTTP10 = words[2][7] == 48

        var fields: [String: [[UInt8]]] = [:]
        for line in lines.dropFirst() {
            guard let colon = line.firstIndex(of: 58), isToken(Array(line[..<colon])) else { return nil }
            let value = Array(line[(colon + 1)...])
            guard value.allSatisfy({ $0 == 9 || $0 >= 32 && $0 != 127 }) else { return nil }
            fields[String(decoding: line[..<colon], as: UTF8.self).lowercased(), default: []].append(trimmed(value))
        }
        guard hostIsRight(fields["host"] ?? [], target: words[1], method: words[0], isHTTP10: isHTTP10) else {
            return nil
        }
        guard (fields["expect"] ?? []).allSatisfy({ lowercased($0) == Array("100-continue".utf8) }) else { return nil }
        return content(fields["content-length"] ?? [], fields["transfer-encoding"] ?? [], isHTTP10: isHTTP10)
    }

    /// Returns the lines before the empty line, without their line ends.
    private static func lines(of bytes: [UInt8]) -> [[UInt8]]? {
        var lines: [[UInt8]] = []
        var line: [UInt8] = []
        var leading = 0
        for byte in bytes {
            guard byte == 10 else {
                line.append(byte)
                continue
            }
            guard line.popLast() == 13 else { return nil }
            if line.isEmpty {
                if !lines.isEmpty { return lines }
                leading += 1
                guard leading == 1 else { return nil }
            } else {
                lines.append(line)
            }
            line = []
        }
        return nil
    }

    private static func hostIsRight(_ hosts: [[UInt8]], target: [UInt8], method: [UInt8], isHTTP10: Bool) -> Bool {
        guard hosts.count == 1 || hosts.isEmpty && isHTTP10 else { return false }
        if let host = hosts.first, !isHost(host) { return false }
        if target[0] == UInt8(ascii: "/") { return true }
        if lowercased(Array(target.prefix(7))) == Array("http://".utf8), target.count > 7 {
            let authority = target[7...].prefix { $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "?") }
            return hosts.isEmpty ? isHost(Array(authority)) : lowercased(Array(authority)) == lowercased(hosts[0])
        }
        let name = String(decoding: method, as: UTF8.self)
        // An unsupported method gets status 405, whatever its target is.
        if !["GET", "HEAD", "POST", "DELETE", "OPTIONS"].contains(name) { return true }
        return name == "OPTIONS" && target == [UInt8(ascii: "*")]
    }

    private static func isHost(_ host: [UInt8]) -> Bool {
        let text = String(decoding: host, as: UTF8.self)
        guard let match = text.wholeMatch(of: /(\[[0-9a-fA-F:.]*\]|[^:\[\]]+)(:([0-9]*))?/) else { return false }
        guard match.1.utf8.count <= 255, (match.3 ?? "").utf8.count <= 16 else { return false }
        if let digits = match.3, !digits.isEmpty {
            let significant = digits.drop { $0 == "0" }
            guard significant.count <= 5, Int(significant) ?? 0 <= 65_535 else { return false }
        }
        let name = Array(match.1.utf8)
        return name.first == UInt8(ascii: "[")
            ? isIPv6(String(match.1.dropFirst().dropLast())) : name.allSatisfy(nameBytes.contains)
    }

    /// Returns true for eight groups, or for fewer groups around a `::`. An IPv4 address may replace the last two
    /// groups.
    private static func isIPv6(_ text: String) -> Bool {
        let halves = text.split(separator: "::", omittingEmptySubsequences: false)
        guard halves.count <= 2 else { return false }
        var groups = halves.flatMap { $0.isEmpty ? [] : $0.split(separator: ":", omittingEmptySubsequences: false) }
        if let last = groups.last, last.contains(".") {
            guard halves.last?.isEmpty == false,
                last.wholeMatch(of: /((25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)(\.(?!$)|$)){4}/) != nil
            else {
                return false
            }
            groups = groups.dropLast() + ["0", "0"]
        }
        guard groups.allSatisfy({ $0.wholeMatch(of: /[0-9a-fA-F]{1,4}/) != nil }) else { return false }
        return halves.count == 1 ? groups.count == 8 : groups.count <= 7
    }

    private static func content(_ lengths: [[UInt8]], _ codings: [[UInt8]], isHTTP10: Bool) -> Framing? {
        guard codings.isEmpty else {
            guard codings.count == 1, lowercased(codings[0]) == Array("chunked".utf8), lengths.isEmpty, !isHTTP10 else {
                return nil
            }
            return .chunked
        }
        guard let first = lengths.first else { return Framing.none }
        guard lengths.count == 1, (1...19).contains(first.count), first.allSatisfy({ (48...57).contains($0) }),
            let length = Int(String(decoding: first, as: UTF8.self))
        else { return nil }
        return length == 0 ? Framing.none : .length(length)
    }

    private static func isToken(_ bytes: [UInt8]) -> Bool {
        !bytes.isEmpty && bytes.allSatisfy(tokenBytes.contains)
    }

    private static func trimmed(_ bytes: [UInt8]) -> [UInt8] {
        var bytes = bytes
        while let last = bytes.last, last == 32 || last == 9 { bytes.removeLast() }
        return Array(bytes.drop { $0 == 32 || $0 == 9 })
    }

    private static func lowercased(_ bytes: [UInt8]) -> [UInt8] {
        bytes.map { (65...90).contains($0) ? $0 + 32 : $0 }
    }
}
