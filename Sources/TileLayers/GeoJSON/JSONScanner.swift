/// Checks the syntax of a JSON text (RFC 8259) without making anything of it, and without recursion.
struct JSONScanner {
    /// The text and a zero behind it, which no JSON text contains outside of its strings.
    private let bytes: [UInt8]
    private var position: Int
    /// Whether each value around the present one is an object.
    private var isObject: [Bool] = []

    /// How deep values may lie in each other; the deepest GeoJSON there is needs 10 or so.
    static let deepest = 64

    /// `bytes` must end with a zero, which is not part of the text.
    private init(_ bytes: [UInt8], from start: Int) {
        self.bytes = bytes
        position = start
    }

    /// Checks the text that begins at `start` and ends before the zero at the end of `bytes`. Returns where its value
    /// begins.
    static func check(_ bytes: [UInt8], from start: Int) throws(GeoJSONError.Fault) -> Int {
        var scanner = JSONScanner(bytes, from: start)
        scanner.skipSpace()
        let root = scanner.position
        try scanner.scan()
        return root
    }

    private mutating func scan() throws(GeoJSONError.Fault) {
        while true {
            try beginValue()
            while true {
                skipSpace()
                guard let isObject = isObject.last else {
                    guard position == bytes.count - 1 else { throw fault("the end of the file") }
                    return
                }
                if take(UInt8(ascii: ",")) {
                    if isObject { try key() }
                    break
                }
                guard take(UInt8(ascii: isObject ? "}" : "]")) else {
                    throw fault(isObject ? "a comma or }" : "a comma or ]")
                }
                self.isObject.removeLast()
            }
        }
    }

    /// Goes on to the next place where a value ends, or begins in an array or object.
    private mutating func beginValue() throws(GeoJSONError.Fault) {
        while true {
            skipSpace()
            switch bytes[position] {
            case UInt8(ascii: "{"):
                try push(isObject: true)
                if take(UInt8(ascii: "}")) { return isObject.removeLast(1) }
                try key()
            case UInt8(ascii: "["):
                try push(isObject: false)
                if take(UInt8(ascii: "]")) { return isObject.removeLast(1) }
            case UInt8(ascii: "\""): return try string()
            case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return try number()
            case UInt8(ascii: "t"): return try word("true")
            case UInt8(ascii: "f"): return try word("false")
            case UInt8(ascii: "n"): return try word("null")
            default: throw fault("a value")
            }
        }
    }

    private mutating func push(isObject: Bool) throws(GeoJSONError.Fault) {
        guard self.isObject.count < Self.deepest else { throw .tooDeep(line: line, limit: Self.deepest) }
        self.isObject.append(isObject)
        position += 1
        skipSpace()
    }

    private mutating func key() throws(GeoJSONError.Fault) {
        skipSpace()
        guard bytes[position] == UInt8(ascii: "\"") else { throw fault("a name in quotes") }
        try string()
        skipSpace()
        guard take(UInt8(ascii: ":")) else { throw fault("a colon") }
    }

    private mutating func string() throws(GeoJSONError.Fault) {
        position += 1
        while true {
            let byte = bytes[position]
            switch byte {
            case UInt8(ascii: "\""):
                position += 1
                return
            case UInt8(ascii: "\\"):
                position += 1
                try escape()
            case 0..<0x20: throw fault("the end of a text")
            default: position += 1
            }
        }
    }

    private mutating func escape() throws(GeoJSONError.Fault) {
        switch bytes[position] {
        case UInt8(ascii: "u"):
            position += 1
            for _ in 0..<4 {
                guard JSONText.hexValue(bytes[position]) != nil else { throw fault("four hexadecimal digits") }
                position += 1
            }
        case let byte where #""\/bfnrt"#.utf8.contains(byte): position += 1
        default: throw fault("an escape such as \\n")
        }
    }

    private mutating func number() throws(GeoJSONError.Fault) {
        _ = take(UInt8(ascii: "-"))
        if !take(UInt8(ascii: "0")) { try digits() }
        if take(UInt8(ascii: ".")) { try digits() }
        if take(UInt8(ascii: "e")) || take(UInt8(ascii: "E")) {
            if !take(UInt8(ascii: "+")) { _ = take(UInt8(ascii: "-")) }
            try digits()
        }
    }

    private mutating func digits() throws(GeoJSONError.Fault) {
        let start = position
        while JSONText.isDigit(bytes[position]) { position += 1 }
        guard position > start else { throw fault("a digit") }
    }

    private mutating func word(_ word: StaticString) throws(GeoJSONError.Fault) {
        let isThere = word.withUTF8Buffer { $0.elementsEqual(bytes[position...].prefix($0.count)) }
        guard isThere else { throw fault("a value") }
        position += word.utf8CodeUnitCount
    }

    private mutating func take(_ byte: UInt8) -> Bool {
        guard bytes[position] == byte else { return false }
        position += 1
        return true
    }

    private mutating func skipSpace() {
        while JSONText.isSpace(bytes[position]) { position += 1 }
    }

    private var line: Int { 1 + bytes[..<position].count { $0 == UInt8(ascii: "\n") } }

    /// What should stand here.
    private func fault(_ expected: String) -> GeoJSONError.Fault {
        let lineStart = bytes[..<position].lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
        let byte = bytes[position]
        let found =
            switch byte {
            case 0 where position == bytes.count - 1: "the end of the file"
            case 0x21...0x7E: String(UnicodeScalar(byte))
            default: "the byte 0x" + String(byte, radix: 16, uppercase: true)
            }
        return .notJSON(line: line, column: position - lineStart + 1, expected: expected, found: found)
    }
}
