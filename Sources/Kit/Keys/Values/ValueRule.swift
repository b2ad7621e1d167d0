/// A rule for a single value of a configuration file. The rule parses the value, writes a value back, describes the
/// expected values in errors, and provides the JSON Schema.
package struct ValueRule<Value>: Sendable {
    package typealias Reader = @Sendable (Scalar) throws(ValueError) -> Value?

    /// Description of a valid value with its article, such as `a whole number`.
    package let expected: String
    /// True if the value must not be shown in messages.
    let isSecret: Bool
    /// JSON Schema of valid values.
    package let schema: SchemaValue
    /// Valid values for a table: a range, or alternatives. Empty if `expected` says enough.
    package let values: String
    /// Returns the value as it is written.
    package let write: @Sendable (Value) -> SchemaValue
    /// Checks a value that was set in code. Returns nil if it is valid.
    package let refusal: @Sendable (Value) -> Refusal?
    /// Parses a value. If it is invalid, returns nil, or throws an error that says more than `expected`.
    package let read: Reader

    /// Creates a rule. `schema` describes the value itself. The final schema also accepts `${NAME}`, unless
    /// `allowsAnyText` says that `schema` accepts it already.
    package init(
        expected: String, isSecret: Bool = false, schema: SchemaValue, allowsAnyText: Bool = false, values: String = "",
        write: @escaping @Sendable (Value) -> SchemaValue,
        refusal: @escaping @Sendable (Value) -> Refusal? = { _ in nil },
        read: @escaping Reader
    ) {
        self.expected = expected
        self.isSecret = isSecret
        self.schema = allowsAnyText ? schema : schema.or(["$ref": "#/$defs/variable"])
        self.values = values
        self.write = write
        self.refusal = refusal
        self.read = read
    }

    /// Returns the value of `scalar`, or throws the reason why it is invalid.
    package func value(of scalar: Scalar) throws(ValueError) -> Value {
        guard let value = try read(scalar) else {
            throw ValueError("expected \(expected), found \(scalar.wording(isSecret: isSecret))")
        }
        return value
    }
}

extension ValueRule where Value == String {
    /// Creates a rule for text. `read` checks the text. `pattern` is a regular expression (ECMA-262) for the schema, or
    /// nil if the schema accepts any text. `types` are the JSON types that the schema accepts, because YAML reads a
    /// text such as 12 as a number.
    package init(
        expected: String, isSecret: Bool = false, pattern: String? = nil, types: [SchemaValue] = ["string"],
        read: @escaping Reader
    ) {
        let type: SchemaValue = types.count == 1 ? types[0] : .list(types)
        self.init(
            expected: expected, isSecret: isSecret,
            schema: SchemaValue([("type", type)] + (pattern.map { [("pattern", .text($0))] } ?? [])),
            allowsAnyText: pattern == nil, write: { .text($0) },
            refusal: { text in
                var found = isSecret ? "another" : quoted(text)
                do throws(ValueError) {
                    // Code must use the form that `read` returns, even if a file may use other forms.
                    if try read(Scalar(text: text, isQuoted: true)) == text { return nil }
                } catch {
                    found += " (\(error.message))"
                }
                return Refusal(expected: expected, found: found)
            }, read: read)
    }
}

/// The reason why a value is refused: the part of a message after place and key.
package struct ValueError: Error {
    package let message: String

    package init(_ message: String) {
        self.message = message
    }
}

extension Scalar {
    /// Describes the value, such as `the number 5`.
    fileprivate func wording(isSecret: Bool) -> String {
        if isNull { return "nothing" }
        if let boolean { return "\(boolean)" }
        if looksNumeric { return isSecret ? "a number" : "the number \(escaped(text))" }
        return isSecret ? "a text" : "the text \(quoted(text))"
    }
}
