import Foundation
import Raster

/// A palette as a table, in linear light, where the mixture of two colours is the one that the eye sees.
///
/// Points are kept as places in the table, which take an eighth of what colours would.
struct MandelbrotColors {
    /// The ring, and behind it the colour of the set itself; in channels of 0…1.
    private let table: [SIMD4<Float>]
    /// The same as they are stored.
    private let stored: [RGBA]
    private static let steps = 2_048
    /// Rounds of the ring for each unit of the square root of the time: slow enough for deep zooms, where times are long
    /// and far apart.
    private static let pace = 0.11
    /// Shifts the ring so that it begins far outside the set.
    private static let start = 0.09
    /// sRGB by linear light, in steps so small that none is two levels.
    private static let levels: [UInt8] = (0...4_095).map { step in
        let light = Float(step) / 4_095
        return UInt8((255 * (light <= 0.003_130_8 ? 12.92 * light : 1.055 * pow(light, 1 / 2.4) - 0.055)).rounded())
    }

    init(_ palette: MandelbrotPalette) {
        let colors = palette.colors.map(\.channels)
        let ring = (0..<Self.steps).map { step in
            let place = Double(step) / Double(Self.steps) * Double(colors.count)
            let part = Float(place - place.rounded(.down))
            let (low, high) = (colors[Int(place) % colors.count], colors[(Int(place) + 1) % colors.count])
            return Self.linear(low + (high - low) * (part * part * (3 - 2 * part)))
        }
        table = ring + [Self.linear(palette.interior.channels)]
        stored = table.map(Self.encoded)
    }

    /// The place in the table of an escape time.
    func place(of time: Double) -> UInt16 {
        guard time >= 0 else { return UInt16(Self.steps) }
        let rounds = time.squareRoot() * Self.pace - Self.start
        return UInt16(truncatingIfNeeded: Int((rounds - rounds.rounded(.down)) * Double(Self.steps)) % Self.steps)
    }

    /// The colour at a place, in channels of 0…1.
    func light(at place: UInt16) -> SIMD4<Float> { table[Int(place)] }

    /// The colour at a place as it is stored.
    func stored(at place: UInt16) -> RGBA { stored[Int(place)] }

    /// A colour in channels of 0…1 as it is stored.
    static func encoded(_ color: SIMD4<Float>) -> RGBA {
        let places = pointwiseMin(pointwiseMax(color * 4_095 + 0.5, SIMD4(repeating: 0)), SIMD4(repeating: 4_095))
        let (red, green, blue) = (Int(places.x), Int(places.y), Int(places.z))
        return RGBA(red: levels[red], green: levels[green], blue: levels[blue])
    }

    /// The light of an opaque sRGB colour (IEC 61966-2-1).
    private static func linear(_ color: SIMD4<Float>) -> SIMD4<Float> {
        var light = color / 255
        for channel in 0..<3 {
            let level = light[channel]
            light[channel] = level <= 0.040_45 ? level / 12.92 : pow((level + 0.055) / 1.055, 2.4)
        }
        return light
    }
}

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
