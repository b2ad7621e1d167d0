/// Opaque colours by the names that CSS gives them (CSS Color 4, 6.1).
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
}
