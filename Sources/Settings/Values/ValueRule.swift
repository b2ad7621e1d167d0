/// What one value may be: how its text is read, and what to say where it cannot be.
package struct ValueRule<Value> {
    /// What is expected, with its article, such as `a whole number`.
    package let expected: String
    /// Whether the value must not be shown in messages.
    package var isSecret = false
    /// The value, or nil where the text is something else altogether.
    package let read: (Scalar) throws(Complaint) -> Value?

    package init(
        expected: String, isSecret: Bool = false, read: @escaping (Scalar) throws(Complaint) -> Value?
    ) {
        self.expected = expected
        self.isSecret = isSecret
        self.read = read
    }

    /// The value of `scalar`, or why there is none.
    package func value(of scalar: Scalar) throws(Complaint) -> Value {
        guard let value = try read(scalar) else {
            throw Complaint("expected \(expected), found \(scalar.wording(isSecret: isSecret))")
        }
        return value
    }
}

/// Why a value is refused: the part of a message after the place and the key.
package struct Complaint: Error {
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
