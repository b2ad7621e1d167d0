/// Opaque colours by the names that CSS gives them (CSS Color 4, 6.1).
extension RGBA {
    public static let black = RGBA(red: 0, green: 0, blue: 0)
    public static let gray = RGBA(red: 128, green: 128, blue: 128)
    public static let silver = RGBA(red: 192, green: 192, blue: 192)
    public static let white = RGBA(red: 255, green: 255, blue: 255)
    public static let red = RGBA(red: 255, green: 0, blue: 0)
    public static let orange = RGBA(red: 255, green: 165, blue: 0)
    public static let yellow = RGBA(red: 255, green: 255, blue: 0)
    public static let green = RGBA(red: 0, green: 128, blue: 0)
    public static let teal = RGBA(red: 0, green: 128, blue: 128)
    public static let blue = RGBA(red: 0, green: 0, blue: 255)
    public static let navy = RGBA(red: 0, green: 0, blue: 128)
    public static let purple = RGBA(red: 128, green: 0, blue: 128)
}
