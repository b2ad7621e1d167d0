import JSON

/// Reads the members of a JSON object that another program has written. A member of an unexpected kind, for example a
/// number instead of a text, counts as missing.
struct JSONMembers {
    private let text: JSONText
    private let values: [String: Int]

    /// Returns nil if `bytes` are no JSON object.
    init?(_ bytes: [UInt8]) {
        do throws(JSONError) {
            text = try JSONText(bytes)
        } catch {
            return nil
        }
        guard text.kind(of: text.root) == .object else { return nil }
        values = text.members(of: text.root)
    }

    /// Returns nil if the value at `index` of `text` is no object.
    private init?(_ text: JSONText, at index: Int) {
        guard text.kind(of: index) == .object else { return nil }
        self.text = text
        values = text.members(of: index)
    }

    func has(_ name: String) -> Bool { values[name] != nil }

    /// Returns nil also for an empty text.
    func string(_ name: String) -> String? {
        guard let value = values[name], text.kind(of: value) == .string else { return nil }
        let string = text.string(at: value)
        return string.isEmpty ? nil : String(string.prefix(4_096))
    }

    func number(_ name: String) -> Double? {
        guard let value = values[name], text.kind(of: value) == .number else { return nil }
        return text.number(at: value).number
    }

    /// Returns the numbers of an array, without other elements. Nil if there is no array.
    func numbers(_ name: String) -> [Double]? {
        elements(name)?.compactMap { text.kind(of: $0) == .number ? text.number(at: $0).number : nil }
    }

    /// Returns the texts of an array, without other elements. Nil if there is no array.
    func strings(_ name: String) -> [String]? {
        elements(name)?.compactMap { text.kind(of: $0) == .string ? text.string(at: $0) : nil }
    }

    /// Returns nil also for a number that is not whole, or too large for an `Int`.
    func integer(_ name: String) -> Int? { number(name).flatMap(Int.init(exactly:)) }

    func boolean(_ name: String) -> Bool? {
        guard let value = values[name], text.kind(of: value) == .boolean else { return nil }
        return text.boolean(at: value)
    }

    func object(_ name: String) -> JSONMembers? {
        values[name].flatMap { JSONMembers(text, at: $0) }
    }

    /// Returns the objects of an array, without other elements. Nil if there is no array.
    func objects(_ name: String) -> [JSONMembers]? {
        elements(name)?.compactMap { JSONMembers(text, at: $0) }
    }

    private func elements(_ name: String) -> [Int]? {
        guard let array = values[name], text.kind(of: array) == .array else { return nil }
        var elements: [Int] = []
        var next = text.firstElement(of: array)
        while let element = next {
            elements.append(element)
            next = text.element(after: text.end(of: element))
        }
        return elements
    }
}
