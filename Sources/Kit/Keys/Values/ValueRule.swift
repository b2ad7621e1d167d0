/// What one value may be: how its text is read and written, what to say where it cannot be, and how a schema says so.
package struct ValueRule<Value>: Sendable {
    package typealias Reader = @Sendable (Scalar) throws(ValueError) -> Value?

    /// What is expected, with its article, such as `a whole number`.
    package let expected: String
    /// Whether the value must not be shown in messages.
    let isSecret: Bool
    /// The JSON Schema.
    package let schema: SchemaValue
    /// What may be written, for a table: a range, or alternatives. Empty where `expected` is all there is to say.
    package let values: String
    /// The value as it is written.
    package let write: @Sendable (Value) -> SchemaValue
    /// Why a value that was set in code is refused; nil where it is not.
    package let refusal: @Sendable (Value) -> Refusal?
    /// The value, or nil where the text is something else altogether.
    package let read: Reader

    /// `schema`: of the value itself. Unless it `allowsAnyText`, `${NAME}` may stand in its place.
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

    /// The value of `scalar`, or why there is none.
    package func value(of scalar: Scalar) throws(ValueError) -> Value {
        guard let value = try read(scalar) else {
            throw ValueError("expected \(expected), found \(scalar.wording(isSecret: isSecret))")
        }
        return value
    }
}

extension ValueRule where Value == String {
    /// Text that `read` judges. `pattern`: a regular expression of ECMA-262 for the schema; nil where any text may stand.
    /// `types`: those of JSON that the text may look like.
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
                    // What a file may write in more than one way, code has as it is read.
                    if try read(Scalar(text: text, isQuoted: true)) == text { return nil }
                } catch {
                    found += " (\(error.message))"
                }
                return Refusal(expected: expected, found: found)
            }, read: read)
    }
}

/// Why a value is refused: the part of a message after the place and the key.
package struct ValueError: Error {
    package let message: String

    package init(_ message: String) {
        self.message = message
    }
}

extension Scalar {
    /// What the value is, such as `the number 5`.
    fileprivate func wording(isSecret: Bool) -> String {
        if isNull { return "nothing" }
        if let boolean { return "\(boolean)" }
        if looksNumeric { return isSecret ? "a number" : "the number \(escaped(text))" }
        return isSecret ? "a text" : "the text \(quoted(text))"
    }
}
