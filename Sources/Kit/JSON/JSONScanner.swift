import Bytes

/// Checks the syntax of a JSON text (RFC 8259). The scanner creates no objects for the values, and does not call itself
/// for nested values, so deep nesting cannot exhaust the stack.
struct JSONScanner {
    /// The text and a zero byte after it. A valid JSON text has no zero byte.
    private let bytes: [UInt8]
    /// Maximum nesting depth.
    private let limit: Int
    private var position: Int
    /// The arrays and objects around the current position.
    private var open: [Container] = []
    private var names = MemberNames()

    /// An array or an object that has begun and not ended.
    private struct Container {
        let isObject: Bool
        /// For an array: the index of the current element.
        var index = 0
        /// For an object: the range of the latest name.
        var name = 0..<0
    }

    /// Checks a text and returns the index of its value. The text begins at `start` and ends before the last byte of
    /// `bytes`, which must be a zero.
    static func check(_ bytes: [UInt8], from start: Int, limit: Int) throws(JSONError) -> Int {
        var scanner = JSONScanner(bytes: bytes, limit: limit, position: start)
        try scanner.checkUTF8()
        scanner.skipSpace()
        let root = scanner.position
        try scanner.scan()
        return root
    }

    private mutating func checkUTF8() throws(JSONError) {
        do throws(UTF8.ValidationError) {
            _ = try UTF8Span(validating: bytes.span)
        } catch {
            position = error.byteOffsets.lowerBound
            throw .notUTF8(line: line, column: column)
        }
    }

    private mutating func scan() throws(JSONError) {
        while true {
            try beginValue()
            while true {
                skipSpace()
                guard let isObject = open.last?.isObject else {
                    guard position == bytes.count - 1 else { throw unexpected("the end of the text") }
                    return
                }
                if take(UInt8(ascii: ",")) {
                    if isObject { try name() } else { open[open.count - 1].index += 1 }
                    break
                }
                guard take(UInt8(ascii: isObject ? "}" : "]")) else {
                    throw unexpected(isObject ? "a comma or }" : "a comma or ]")
                }
                close()
            }
        }
    }

    /// Reads a complete string, number, word or empty container. Enters arrays and objects on the way, up to the first
    /// value in them that is complete.
    private mutating func beginValue() throws(JSONError) {
        while true {
            skipSpace()
            switch bytes[position] {
            case UInt8(ascii: "{"):
                try begin(Container(isObject: true))
                if take(UInt8(ascii: "}")) { return close() }
                try name()
            case UInt8(ascii: "["):
                try begin(Container(isObject: false))
                if take(UInt8(ascii: "]")) { return close() }
            case UInt8(ascii: "\""):
                _ = try string()
                return
            case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return try number()
            case UInt8(ascii: "t"): return try word("true")
            case UInt8(ascii: "f"): return try word("false")
            case UInt8(ascii: "n"): return try word("null")
            default: throw unexpected("a value")
            }
        }
    }

    private mutating func begin(_ container: Container) throws(JSONError) {
        guard open.count < limit else { throw .tooDeep(line: line, limit: limit) }
        open.append(container)
        if container.isObject { names.beginObject() }
        position += 1
        skipSpace()
    }

    private mutating func close() {
        if open.removeLast().isObject { names.endObject() }
    }

    private mutating func name() throws(JSONError) {
        skipSpace()
        guard bytes[position] == UInt8(ascii: "\"") else { throw unexpected("a name in quotes") }
        let name = try string()
        open[open.count - 1].name = name
        guard names.insert(name, in: bytes) else { throw .repeated(path: path) }
        skipSpace()
        guard take(UInt8(ascii: ":")) else { throw unexpected("a colon") }
    }

    private mutating func word(_ word: StaticString) throws(JSONError) {
        let isThere = word.withUTF8Buffer { $0.elementsEqual(bytes[position...].prefix($0.count)) }
        guard isThere else { throw unexpected("a value") }
        position += word.utf8CodeUnitCount
    }

    private mutating func take(_ byte: UInt8) -> Bool {
        guard bytes[position] == byte else { return false }
        position += 1
        return true
    }

    private mutating func skipSpace() {
        while bytes[position].isJSONSpace { position += 1 }
    }
}

// MARK: Strings and numbers

extension JSONScanner {
    /// Checks a string and moves behind it. Returns the range of its content, without the quotes.
    private mutating func string() throws(JSONError) -> Range<Int> {
        position += 1
        let start = position
        while true {
            switch bytes[position] {
            case UInt8(ascii: "\""):
                position += 1
                return start..<(position - 1)
            case UInt8(ascii: "\\"):
                position += 1
                try escape()
            case 0..<0x20: throw unexpected("the end of a string")
            default: position += 1
            }
        }
    }

    private mutating func escape() throws(JSONError) {
        switch bytes[position] {
        case UInt8(ascii: "u"):
            let start = position - 1
            let first = try unit()
            guard UTF16.isSurrogate(first) else { return }
            // Half of a surrogate pair has no UTF-8 form (RFC 8259 8.2).
            if UTF16.isLeadSurrogate(first), take(UInt8(ascii: "\\")), bytes[position] == UInt8(ascii: "u"),
                UTF16.isTrailSurrogate(try unit())
            {
                return
            }
            position = start
            throw unexpected("both halves of a surrogate pair")
        case let byte where #""\/bfnrt"#.utf8.contains(byte): position += 1
        default: throw unexpected("an escape such as \\n")
        }
    }

    /// Reads the letter u and four hexadecimal digits.
    private mutating func unit() throws(JSONError) -> UInt16 {
        position += 1
        var unit: UInt16 = 0
        for _ in 0..<4 {
            guard let digit = ASCII.hexValue(bytes[position]) else { throw unexpected("four hexadecimal digits") }
            unit = unit << 4 | UInt16(digit)
            position += 1
        }
        return unit
    }

    private mutating func number() throws(JSONError) {
        _ = take(UInt8(ascii: "-"))
        if !take(UInt8(ascii: "0")) { try digits() }
        if take(UInt8(ascii: ".")) { try digits() }
        if take(UInt8(ascii: "e")) || take(UInt8(ascii: "E")) {
            if !take(UInt8(ascii: "+")) { _ = take(UInt8(ascii: "-")) }
            try digits()
        }
    }

    private mutating func digits() throws(JSONError) {
        let start = position
        while ASCII.isDigit(bytes[position]) { position += 1 }
        guard position > start else { throw unexpected("a digit") }
    }
}

// MARK: Positions for errors

extension JSONScanner {
    private var line: Int { 1 + bytes[..<position].count { $0 == UInt8(ascii: "\n") } }

    private var column: Int {
        position - (bytes[..<position].lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0) + 1
    }

    /// Path of the current value.
    private var path: String {
        open.reduce("") { path, container in
            guard container.isObject else { return JSONPath.element(container.index, of: path) }
            return JSONPath.member(String(decoding: bytes[container.name].unescaped, as: UTF8.self), of: path)
        }
    }

    /// Returns a syntax error that says what was expected at the current position.
    private func unexpected(_ expected: String) -> JSONError {
        let byte = bytes[position]
        let found =
            switch byte {
            case 0 where position == bytes.count - 1: "the end of the text"
            case 0x21...0x7E: String(UnicodeScalar(byte))
            default: "the byte 0x" + String(byte, radix: 16, uppercase: true)
            }
        return .syntax(line: line, column: column, expected: expected, found: found)
    }
}
