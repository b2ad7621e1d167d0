import Bytes

/// Finds and removes header lines in a response that this server has made.
struct FieldText {
    private let lines: [Substring]

    init(_ fields: SharedBytes) {
        lines = String(decoding: fields.buffer, as: UTF8.self).split(separator: "\r\n")
    }

    /// Returns the value of the field `name`. The case of `name` must match.
    subscript(name: String) -> String? {
        lines.first { $0.hasPrefix("\(name): ") }.map { String($0.dropFirst(name.count + 2)) }
    }

    /// Returns the lines of all fields except `names`.
    func without(_ names: String...) -> SharedBytes {
        let kept = lines.filter { line in !names.contains { line.hasPrefix("\($0): ") } }
        return SharedBytes(kept.map { "\($0)\r\n" }.joined())
    }
}
