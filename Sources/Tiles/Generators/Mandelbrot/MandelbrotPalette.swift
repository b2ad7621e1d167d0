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
                interior: RGBA(hex: 0x040510),
                colors: [0x090C3A, 0x184AA0, 0x62B0E0, 0xF0F8F6, 0xFFC448, 0xB24E16, 0x340E2C].map(RGBA.init(hex:)))
        case .fire:
            MandelbrotPalette(
                colors: [0x100406, 0x700E0C, 0xD63C08, 0xFCA824, 0xFFF4BE, 0xE8781C, 0x560C18].map(RGBA.init(hex:)))
        case .ice:
            MandelbrotPalette(
                interior: RGBA(hex: 0x020A16),
                colors: [0x041A34, 0x0A5474, 0x40A8B0, 0xCEF0EC, 0xFFFFFF, 0x8EBEE0, 0x2A5494].map(RGBA.init(hex:)))
        case .gray:
            MandelbrotPalette(colors: [0x101010, 0x808080, 0xFAFAFA, 0x808080].map(RGBA.init(hex:)))
        }
    }
}

extension RGBA {
    /// The opaque colour `0xrrggbb`.
    init(hex: UInt32) {
        self.init(
            red: UInt8(truncatingIfNeeded: hex >> 16), green: UInt8(truncatingIfNeeded: hex >> 8),
            blue: UInt8(truncatingIfNeeded: hex))
    }
}
