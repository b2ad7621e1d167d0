import Bytes

/// Opaque colours with their CSS names (CSS Color 4, 6.1).
extension RGBA {
    /// `#000000`.
    public static let black = RGBA(red: 0, green: 0, blue: 0)
    /// `#808080`.
    public static let gray = RGBA(red: 128, green: 128, blue: 128)
    /// `#c0c0c0`.
    public static let silver = RGBA(red: 192, green: 192, blue: 192)
    /// `#ffffff`.
    public static let white = RGBA(red: 255, green: 255, blue: 255)
    /// `#ff0000`.
    public static let red = RGBA(red: 255, green: 0, blue: 0)
    /// `#ffa500`.
    public static let orange = RGBA(red: 255, green: 165, blue: 0)
    /// `#ffff00`.
    public static let yellow = RGBA(red: 255, green: 255, blue: 0)
    /// `#008000`.
    public static let green = RGBA(red: 0, green: 128, blue: 0)
    /// `#008080`.
    public static let teal = RGBA(red: 0, green: 128, blue: 128)
    /// `#0000ff`.
    public static let blue = RGBA(red: 0, green: 0, blue: 255)
    /// `#000080`.
    public static let navy = RGBA(red: 0, green: 0, blue: 128)
    /// `#800080`.
    public static let purple = RGBA(red: 128, green: 0, blue: 128)

    // Conversion between colours and text.

    /// Parses `#rgb`, `#rrggbb` or `#rrggbbaa` with hexadecimal digits of either case. Returns nil for any other text.
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

    /// The text `#rrggbb`, or `#rrggbbaa` if the colour is not opaque, in lower case.
    public var text: String {
        let channels = alpha == 255 ? [red, green, blue] : [red, green, blue, alpha]
        return channels.reduce("#") { $0 + ($1 < 16 ? "0" : "") + String($1, radix: 16) }
    }
}
