import Bytes

/// Field lines as they are written here, to be read again.
struct FieldText {
    private let lines: [Substring]

    init(_ fields: SharedBytes) {
        lines = String(decoding: fields.buffer, as: UTF8.self).split(separator: "\r\n")
    }

    /// The value of the field `name`, which is spelled as it is written.
    subscript(name: String) -> String? {
        lines.first { $0.hasPrefix("\(name): ") }.map { String($0.dropFirst(name.count + 2)) }
    }

    /// The lines of all other fields.
    func without(_ names: String...) -> SharedBytes {
        let kept = lines.filter { line in !names.contains { line.hasPrefix("\($0): ") } }
        return SharedBytes(kept.map { "\($0)\r\n" }.joined())
    }
}
