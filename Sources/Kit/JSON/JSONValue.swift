/// A value of a JSON text, for reading request bodies with a few fields. If a field is missing, unknown or of a wrong
/// type, the error contains its complete path, such as `updates[2].point`.
package struct JSONValue: Sendable {
    let text: JSONText
    let offset: Int
    /// Path of the value in the text, such as `updates[2].point`. Empty for the whole text.
    package let path: String

    /// The kind of the value.
    package var kind: JSONText.Kind { text.kind(of: offset) }

    /// Returns a finite number. Throws `mistyped`.
    package func number() throws(JSONError) -> Double {
        try require(.number, "a number")
        let number = text.number(at: offset).number
        guard number.isFinite else {
            throw .mistyped(path: path, expected: "a finite number", found: "a number that is too large")
        }
        return number
    }

    /// Returns a string. Throws `mistyped`.
    package func string() throws(JSONError) -> String {
        try require(.string, "a string")
        return text.string(at: offset)
    }

    /// Returns the elements of this array. Throws `mistyped` if the value is not an array or has more than `limit`
    /// elements.
    package func elements(atMost limit: Int) throws(JSONError) -> [JSONValue] {
        try require(.array, "an array")
        var elements: [JSONValue] = []
        var next = text.firstElement(of: offset)
        while let element = next {
            guard elements.count < limit else {
                throw .mistyped(path: path, expected: "at most \(limit) elements", found: "more")
            }
            let path = JSONPath.element(elements.count, of: path)
            elements.append(JSONValue(text: text, offset: element, path: path))
            next = text.element(after: text.end(of: element))
        }
        return elements
    }

    /// Returns an array of exactly `count` finite numbers. Throws `mistyped`.
    package func numbers(_ count: Int) throws(JSONError) -> [Double] {
        let elements = try elements(atMost: count)
        guard elements.count == count else {
            throw .mistyped(path: path, expected: "\(count) numbers", found: "\(elements.count)")
        }
        return try elements.map { element throws(JSONError) in try element.number() }
    }

    /// Returns this value as an object. Throws `mistyped` if it is not an object. Throws `unknown` if it has a member
    /// whose name is not in `names`.
    package func object(_ names: [String]) throws(JSONError) -> JSONObject {
        try require(.object, "an object")
        var members: [JSONObject.Member] = []
        var next = text.firstMember(of: offset)
        while let (place, value) = next {
            // Compares bytes, because strings with different bytes can be equal.
            let found = text.utf8(at: place)
            guard let name = names.first(where: { found.elementsEqual($0.utf8) }) else {
                throw .unknown(path: JSONPath.member(text.string(at: place), of: path))
            }
            members.append(JSONObject.Member(name: name, value: value))
            next = text.member(after: text.end(of: value))
        }
        return JSONObject(text: text, members: members, path: path)
    }

    private func require(_ kind: JSONText.Kind, _ expected: String) throws(JSONError) {
        guard self.kind == kind else { throw .mistyped(path: path, expected: expected, found: self.kind.wording) }
    }
}

extension JSONText.Kind {
    fileprivate var wording: String {
        switch self {
        case .object: "an object"
        case .array: "an array"
        case .string: "a string"
        case .number: "a number"
        case .boolean: "a Boolean"
        case .null: "null"
        }
    }
}
