import Bytes

/// Reads `#cache-directive` (RFC 9111 5.2) member by member: `token`, `token=token` or `token="quoted string"`. Pure.
///
/// It always comes to the end, whatever the bytes are. A quotation mark without its partner quotes nothing, so that it
/// cannot hide the members after it.
struct DirectiveReader {
    /// What stands behind a directive's name.
    enum Argument: Equatable {
        case none
        /// A token or the content of a quoted string, and the number that it is, if it is one (`delta-seconds`).
        case text(isEmpty: Bool, seconds: Int?)
        /// Something that the grammar does not know.
        case malformed

        var seconds: Int? {
            guard case .text(_, let seconds) = self else { return nil }
            return seconds
        }

        /// Whether it can be the list of fields that `private` or `no-cache` is restricted to.
        var isQualifying: Bool {
            guard case .text(let isEmpty, _) = self else { return false }
            return !isEmpty
        }
    }

    /// The index of the next byte.
    private var position = 0

    /// The range of the next member's name, and its argument; nil at the end. `bytes` must be the same each time.
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

    /// Takes everything up to the comma.
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

    /// Nil, and nothing taken, if no whole quoted string stands here (RFC 9110 5.6.4).
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

/// A number of seconds read digit by digit; what is too large counts as 2^31 (RFC 9111 1.2.2).
struct DeltaSeconds {
    static let largest = 1 << 31

    private var total = 0
    private var isNumber = true
    private var isEmpty = true

    /// Nil for no digit, and for anything but digits.
    var value: Int? { isNumber && !isEmpty ? total : nil }

    mutating func take(_ byte: UInt8) {
        isEmpty = false
        guard ASCII.isDigit(byte) else {
            isNumber = false
            return
        }
        // Bounded before and after, so it cannot overflow.
        total = min(total * 10 + Int(byte &- ASCII.zero), Self.largest)
    }

    /// The whole of `text` as a number.
    static func parse(_ text: some Sequence<UInt8>) -> Int? {
        var number = DeltaSeconds()
        for byte in text { number.take(byte) }
        return number.value
    }
}
