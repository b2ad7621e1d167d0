import Bytes

/// Reads the directives of a `Cache-Control` field one by one (RFC 9111 5.2). A directive has the form `token`,
/// `token=token` or `token="quoted string"`.
///
/// The reader reaches the end of any text. A quotation mark without a second one does not begin a quoted string, so
/// that it cannot hide later directives.
struct DirectiveReader {
    /// The argument after a directive's name.
    enum Argument: Equatable {
        case none
        /// A token, or the content of a quoted string. `seconds` is its number, if it is a number (`delta-seconds`).
        case text(isEmpty: Bool, seconds: Int?)
        /// Text outside the grammar.
        case malformed

        var seconds: Int? {
            guard case .text(_, let seconds) = self else { return nil }
            return seconds
        }

        /// True if the argument can be the list of fields of `private` or `no-cache`.
        var isQualifying: Bool {
            guard case .text(let isEmpty, _) = self else { return false }
            return !isEmpty
        }
    }

    /// Index of the next byte.
    private var position = 0

    /// Returns the range of the next member's name, and its argument. Nil at the end. Each call must pass the same
    /// `bytes`.
    mutating func next(_ bytes: Span<UInt8>) -> (name: Range<Int>, argument: Argument)? {
        while true {
            skip(bytes) { $0 == ASCII.space || $0 == ASCII.tab || $0 == Self.comma }
            guard position < bytes.count else { return nil }
            let start = position
            skip(bytes, while: ASCII.isToken)
            let name = start..<position
            let argument = argument(bytes)
            if !name.isEmpty { return (name, argument) }
        }
    }

    /// Reads the argument of a directive, up to the next comma.
    private mutating func argument(_ bytes: Span<UInt8>) -> Argument {
        var argument = Argument.none
        if position < bytes.count, bytes[position] == UInt8(ascii: "=") {
            position += 1
            argument = quoted(bytes) ?? token(bytes)
        }
        skip(bytes) { $0 == ASCII.space || $0 == ASCII.tab }
        while position < bytes.count, bytes[position] != Self.comma {
            argument = .malformed
            if quoted(bytes) == nil { position += 1 }
        }
        return argument
    }

    private mutating func token(_ bytes: Span<UInt8>) -> Argument {
        let start = position
        var number = DeltaSeconds()
        skip(bytes) { byte in
            guard ASCII.isToken(byte) else { return false }
            number.take(byte)
            return true
        }
        return position == start ? .malformed : .text(isEmpty: false, seconds: number.value)
    }

    /// Reads a quoted string (RFC 9110 5.6.4). If there is no complete quoted string, returns nil and reads nothing.
    private mutating func quoted(_ bytes: Span<UInt8>) -> Argument? {
        guard position < bytes.count, bytes[position] == Self.quote else { return nil }
        var number = DeltaSeconds()
        var isEmpty = true
        var end = position + 1
        while end < bytes.count, bytes[end] != Self.quote {
            if bytes[end] == UInt8(ascii: "\\") { end += 1 }
            guard end < bytes.count else { return nil }
            number.take(bytes[end])
            isEmpty = false
            end += 1
        }
        guard end < bytes.count else { return nil }
        position = end + 1
        return .text(isEmpty: isEmpty, seconds: number.value)
    }

    private mutating func skip(_ bytes: Span<UInt8>, while isSkipped: (UInt8) -> Bool) {
        while position < bytes.count, isSkipped(bytes[position]) { position += 1 }
    }

    private static var comma: UInt8 { UInt8(ascii: ",") }
    private static var quote: UInt8 { UInt8(ascii: "\"") }
}

/// Reads a number of seconds digit by digit. A number above 2^31 counts as 2^31 (RFC 9111 1.2.2).
struct DeltaSeconds {
    static let largest = 1 << 31

    private var total = 0
    private var isNumber = true
    private var isEmpty = true

    /// The number. Nil if there were no digits, or other characters.
    var value: Int? { isNumber && !isEmpty ? total : nil }

    mutating func take(_ byte: UInt8) {
        isEmpty = false
        guard ASCII.isDigit(byte) else {
            isNumber = false
            return
        }
        // The number is limited before and after, so the multiplication cannot overflow.
        total = min(total * 10 + Int(byte &- ASCII.zero), Self.largest)
    }

    /// Parses the whole of `text` as a number.
    static func parse(_ text: some Sequence<UInt8>) -> Int? {
        var number = DeltaSeconds()
        for byte in text { number.take(byte) }
        return number.value
    }
}
