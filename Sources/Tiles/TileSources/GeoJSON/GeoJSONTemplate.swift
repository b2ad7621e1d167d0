import JSON
import Keys

/// A template for a label: a text with names of properties in braces, such as `{name:ja}`. For each feature, the values
/// of its properties replace the names.
struct GeoJSONTemplate: Sendable, Equatable {
    private enum Part: Sendable, Equatable {
        case text(String)
        case property(String)
    }

    private let parts: [Part]

    /// Parses `text`. Returns nil if a brace has no partner, or if a name is empty.
    init?(_ text: String) {
        var parts: [Part] = []
        var rest = text[...]
        while let brace = rest.firstIndex(where: { $0 == "{" || $0 == "}" }) {
            guard rest[brace] == "{", let end = rest[brace...].firstIndex(of: "}") else { return nil }
            let name = rest[rest.index(after: brace)..<end]
            guard !name.isEmpty, !name.contains("{") else { return nil }
            if brace > rest.startIndex { parts.append(.text(String(rest[..<brace]))) }
            parts.append(.property(String(name)))
            rest = rest[rest.index(after: end)...]
        }
        if !rest.isEmpty { parts.append(.text(String(rest))) }
        self.parts = parts
    }

    /// The language of the text: the part after the last colon of the first name that has a colon, such as `ja` of
    /// `name:ja`. Nil if no name has a colon.
    var language: String? {
        parts.lazy.compactMap { part -> String? in
            guard case .property(let name) = part, let colon = name.lastIndex(of: ":") else { return nil }
            return String(name[name.index(after: colon)...])
        }.first
    }

    /// True if the template contains the name of a property.
    var hasProperty: Bool { parts.contains { if case .property = $0 { true } else { false } } }

    /// The name of the property if the template is a single name without other text, such as `{name}`. Nil for all
    /// other templates.
    var property: String? {
        guard parts.count == 1, case .property(let name) = parts[0] else { return nil }
        return name
    }

    /// Replaces the names by the values of a feature. `properties` contains, for the name of each property, the
    /// position of its value in the JSON `text`. Returns nil if a property is missing or empty, or if its value is
    /// neither a text nor a number.
    func filled(_ properties: [String: Int], of text: JSONText) -> String? {
        var filled = ""
        for part in parts {
            switch part {
            case .text(let text): filled += text
            case .property(let name):
                guard let value = properties[name].flatMap({ Self.text(at: $0, of: text) }), !value.isEmpty else {
                    return nil
                }
                filled += value
            }
        }
        return filled
    }

    /// Returns the value at the position `value` of the JSON `text`: a string, or a number converted to a string.
    /// Returns nil for a value of another type.
    static func text(at value: Int, of text: JSONText) -> String? {
        switch text.kind(of: value) {
        case .string: return text.string(at: value)
        case .number:
            let number = text.number(at: value).number
            return number == number.rounded() && abs(number) < 1e15 ? "\(Int(number))" : "\(number)"
        default: return nil
        }
    }
}

extension ValueRule where Value == String {
    /// The rule for a template of a label's text.
    static var labelTemplate: ValueRule {
        let expected = "a text in quotes with names of properties between { and }, such as \"{name}\""
        return ValueRule(
            expected: expected, schema: ["type": "string", "pattern": "^([^{}]|[{][^{}]+[}])+$"], write: { .text($0) },
            refusal: { isTemplate($0) ? nil : Refusal(expected: expected, found: "\"\($0)\"") }
        ) { scalar throws(ValueError) in
            guard let text = scalar.string, !text.isEmpty else { return nil }
            guard isTemplate(text) else {
                throw ValueError(
                    "in \"\(text)\", expected the name of a property between each { and its }, such as "
                        + "\"{name}\"; a label cannot contain single braces")
            }
            return text
        }
    }

    /// The rule for a priority of labels: a number, or the name of a property in braces.
    static var labelPriority: ValueRule {
        let expected =
            "a number such as 10, or a text in quotes with a property between { and }, such as \"{population}\""
        return ValueRule(
            expected: expected,
            schema: ["anyOf": [["type": "number"], ["type": "string", "pattern": "^[{][^{}]+[}]$"]]],
            write: { .text($0) },
            refusal: { GeoJSONPriority($0) == nil ? Refusal(expected: expected, found: "\"\($0)\"") : nil }
        ) { scalar in
            guard let priority = GeoJSONPriority(scalar.text) else { return nil }
            // Refuses a number in quotes: in quotes, the configuration expects a name in braces.
            if case .number = priority, scalar.isQuoted { return nil }
            return scalar.text
        }
    }

    private static func isTemplate(_ text: String) -> Bool {
        !text.isEmpty && GeoJSONTemplate(text) != nil
    }
}

/// The priority of labels: one number for all features, or the value of a property of each feature.
enum GeoJSONPriority: Sendable, Equatable {
    case number(Double)
    case property(String)

    init?(_ text: String) {
        if let name = GeoJSONTemplate(text)?.property {
            self = .property(name)
        } else if let number = Double(text), number.isFinite {
            self = .number(number)
        } else {
            return nil
        }
    }

    /// Returns the priority of a feature. Returns the lowest priority, `-.infinity`, if the feature lacks the property,
    /// or if its value is not a number.
    func value(_ properties: [String: Int], of text: JSONText) -> Double {
        switch self {
        case .number(let number): return number
        case .property(let name):
            guard let value = properties[name], text.kind(of: value) == .number else { return -.infinity }
            return text.number(at: value).number
        }
    }
}
