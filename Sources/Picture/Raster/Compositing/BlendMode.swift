/// How the colour of a layer is mixed with what lies below (W3C Compositing and Blending 1, 10.1).
///
/// The raw values are the names that CSS has for the modes.
public enum BlendMode: String, CaseIterable, Sendable {
    /// The layer's colour.
    case normal
    /// The product of both: never lighter than either; white changes nothing.
    case multiply
    /// The complement of the product of the complements: never darker than either; black changes nothing.
    case screen
    /// `multiply` where it is dark below, `screen` where it is light.
    case overlay
    /// The lower of both, for each channel.
    case darken
    /// The higher of both, for each channel.
    case lighten
}
