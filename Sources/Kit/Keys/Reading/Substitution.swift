import Bytes

/// Replaces `${NAME}` and `${NAME:-default}` in a value by the environment variable `NAME`. The default applies if the
/// variable is not set or is empty. `$$` becomes a single dollar, and any other dollar does not change.
package struct Substitution {
    /// The environment. Nil means no substitution, and a dollar is a dollar.
    let environment: [String: String]?

    package init(environment: [String: String]?) {
        self.environment = environment
    }

    /// Reports whether the variable `name` is set and not empty.
    package func isSet(_ name: String) -> Bool { environment?[name]?.isEmpty == false }

    /// Returns `scalar` with the values of environment variables inserted. A `${NAME}` inside an inserted value is not
    /// replaced.
    package func applied(to scalar: Scalar) throws(ValueError) -> Scalar {
        let bytes = Array(scalar.text.utf8)
        let dollar = UInt8(ascii: "$")
        guard environment != nil, bytes.contains(dollar) else { return scalar }
        var result: [UInt8] = []
        var scalar = scalar
        var index = 0
        while index < bytes.count {
            let next = index + 1 < bytes.count ? bytes[index + 1] : nil
            if bytes[index] == dollar, next == dollar {
                result.append(dollar)
                index += 2
            } else if bytes[index] == dollar, next == UInt8(ascii: "{") {
                let end = try closing(bytes, from: index + 2)
                result += try value(of: bytes[(index + 2)..<end]).utf8
                scalar.isSubstituted = true
                index = end + 1
            } else {
                result.append(bytes[index])
                index += 1
            }
        }
        scalar.text = String(decoding: result, as: UTF8.self)
        return scalar
    }

    /// Returns the index of the closing brace for the opening brace before `start`. Braces between them must be in
    /// pairs, as in a URL template.
    private func closing(_ bytes: [UInt8], from start: Int) throws(ValueError) -> Int {
        var depth = 1
        for index in start..<bytes.count {
            if bytes[index] == UInt8(ascii: "{") { depth += 1 }
            if bytes[index] == UInt8(ascii: "}") { depth -= 1 }
            if depth == 0 { return index }
        }
        throw ValueError("${ has no closing } (write $${ for a literal ${)")
    }

    private func value(of expression: ArraySlice<UInt8>) throws(ValueError) -> String {
        let name = expression.prefix { ASCII.isLetterOrDigit($0) || $0 == UInt8(ascii: "_") }
        let rest = expression.dropFirst(name.count)
        guard let first = name.first, !ASCII.isDigit(first), rest.isEmpty || rest.starts(with: ":-".utf8) else {
            throw ValueError(
                "expected ${NAME} or ${NAME:-default}, found "
                    + "${\(escaped(String(decoding: expression, as: UTF8.self)))}")
        }
        let variable = String(decoding: name, as: UTF8.self)
        let found = environment?[variable]
        if rest.isEmpty {
            guard let found else {
                // The notation of JavaScript's template strings.
                let hint =
                    ["s", "x", "y", "z"].contains(variable)
                    ? "; write a URL placeholder without a dollar: {\(variable)}" : ""
                throw ValueError("the environment variable \(variable) is not set and has no default\(hint)")
            }
            return found
        }
        if let found, !found.isEmpty { return found }
        let standard = String(decoding: rest.dropFirst(2), as: UTF8.self)
        if rest.indices.dropLast().contains(where: { isOpening(rest, $0) }) {
            throw ValueError("a default cannot contain another ${…}")
        }
        return standard
    }

    private func isOpening(_ bytes: ArraySlice<UInt8>, _ index: Int) -> Bool {
        bytes[index] == UInt8(ascii: "$") && bytes[index + 1] == UInt8(ascii: "{")
    }
}
