import Raster

/// Colours for escape times: a ring that is gone round ever more slowly, and one colour for the set itself. All opaque;
/// alpha does not count.
package struct MandelbrotPalette: Sendable, Hashable {
    /// Of points that never leave.
    package let interior: RGBA
    /// Evenly spaced, each running into the next and the last into the first; at least one.
    package let colors: [RGBA]

    /// Without any colours the ring is white.
    package init(interior: RGBA = RGBA(red: 0, green: 0, blue: 0), colors: [RGBA]) {
        self.interior = interior
        self.colors = colors.isEmpty ? [RGBA(red: 255, green: 255, blue: 255)] : colors
    }
}

extension MandelbrotSource.Palette {
    var colors: MandelbrotPalette {
        switch self {
        case .dusk:
            MandelbrotPalette(
                interior: RGBA(red: 4, green: 5, blue: 16),
                colors: [
                    RGBA(red: 9, green: 12, blue: 58), RGBA(red: 24, green: 74, blue: 160),
                    RGBA(red: 98, green: 176, blue: 224), RGBA(red: 240, green: 248, blue: 246),
                    RGBA(red: 255, green: 196, blue: 72), RGBA(red: 178, green: 78, blue: 22),
                    RGBA(red: 52, green: 14, blue: 44),
                ])
        case .fire:
            MandelbrotPalette(
                colors: [
                    RGBA(red: 16, green: 4, blue: 6), RGBA(red: 112, green: 14, blue: 12),
                    RGBA(red: 214, green: 60, blue: 8),
                    RGBA(red: 252, green: 168, blue: 36), RGBA(red: 255, green: 244, blue: 190),
                    RGBA(red: 232, green: 120, blue: 28), RGBA(red: 86, green: 12, blue: 24),
                ])
        case .ice:
            MandelbrotPalette(
                interior: RGBA(red: 2, green: 10, blue: 22),
                colors: [
                    RGBA(red: 4, green: 26, blue: 52), RGBA(red: 10, green: 84, blue: 116),
                    RGBA(red: 64, green: 168, blue: 176),
                    RGBA(red: 206, green: 240, blue: 236), RGBA(red: 255, green: 255, blue: 255),
                    RGBA(red: 142, green: 190, blue: 224), RGBA(red: 42, green: 84, blue: 148),
                ])
        case .gray:
            MandelbrotPalette(
                colors: [
                    RGBA(red: 16, green: 16, blue: 16), RGBA(red: 128, green: 128, blue: 128),
                    RGBA(red: 250, green: 250, blue: 250), RGBA(red: 128, green: 128, blue: 128),
                ])
        }
    }
}
