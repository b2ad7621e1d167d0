import Bytes

/// Colours as texts write them.
extension RGBA {
    /// `#rgb`, `#rrggbb` or `#rrggbbaa` in hexadecimal digits of either case; nil for anything else.
    public init?(_ text: String) {
        let digits = text.utf8.dropFirst().compactMap(ASCII.hexValue)
        guard text.utf8.first == UInt8(ascii: "#"), digits.count == text.utf8.count - 1 else { return nil }
        switch digits.count {
        case 3: self.init(red: digits[0] * 17, green: digits[1] * 17, blue: digits[2] * 17)
        case 6, 8:
            let channels = stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
            self.init(
                red: channels[0], green: channels[1], blue: channels[2], alpha: channels.count == 4 ? channels[3] : 255)
        default: return nil
        }
    }

    /// `#rrggbb`, or `#rrggbbaa` where it is not opaque, in lower case.
    public var text: String {
        let channels = alpha == 255 ? [red, green, blue] : [red, green, blue, alpha]
        return channels.reduce("#") { $0 + ($1 < 16 ? "0" : "") + String($1, radix: 16) }
    }
}
