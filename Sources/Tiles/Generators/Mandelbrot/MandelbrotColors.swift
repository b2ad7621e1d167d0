import Foundation
import Raster

/// A palette as a table of colours. The table uses linear light, so that mixed colours look right. A picture stores an
/// index into the table for each point, which needs an eighth of the memory of a colour.
struct MandelbrotColors {
    /// The ring of colours, followed by the colour of the set itself. Channels are in 0…1.
    private let table: [SIMD4<Float>]
    /// The colours of `table`, encoded for a pixmap.
    private let stored: [RGBA]
    private static let steps = 2_048
    /// The number of rounds on the ring per unit of the square root of the escape time. The pace is slow enough for
    /// deep zooms, where escape times are long and differ much.
    private static let pace = 0.11
    /// The number of rounds by which the ring is shifted, so that it starts far outside the set.
    private static let start = 0.09
    /// The sRGB level for each step of linear light. The steps are so small that neighbouring steps differ by at most
    /// one level.
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

    /// Returns the index in the table for an escape time.
    func place(of time: Double) -> UInt16 {
        guard time >= 0 else { return UInt16(Self.steps) }
        let rounds = time.squareRoot() * Self.pace - Self.start
        return UInt16(truncatingIfNeeded: Int((rounds - rounds.rounded(.down)) * Double(Self.steps)) % Self.steps)
    }

    /// Returns the colour at an index, with channels in 0…1.
    func light(at place: UInt16) -> SIMD4<Float> { table[Int(place)] }

    /// Returns the colour at an index, encoded for a pixmap.
    func stored(at place: UInt16) -> RGBA { stored[Int(place)] }

    /// Encodes a colour with channels in 0…1 for a pixmap.
    static func encoded(_ color: SIMD4<Float>) -> RGBA {
        let places = pointwiseMin(pointwiseMax(color * 4_095 + 0.5, SIMD4(repeating: 0)), SIMD4(repeating: 4_095))
        let (red, green, blue) = (Int(places.x), Int(places.y), Int(places.z))
        return RGBA(red: levels[red], green: levels[green], blue: levels[blue])
    }

    /// Converts an opaque sRGB colour to linear light (IEC 61966-2-1).
    private static func linear(_ color: SIMD4<Float>) -> SIMD4<Float> {
        var light = color / 255
        for channel in 0..<3 {
            let level = light[channel]
            light[channel] = level <= 0.040_45 ? level / 12.92 : pow((level + 0.055) / 1.055, 2.4)
        }
        return light
    }
}

/// The colours of a picture of the Mandelbrot set. The set itself has one colour. All other points get a colour from a
/// ring of colours, by their escape time (see `MandelbrotOrbit`). The longer the time is, the more slowly the colour
/// changes.
///
/// All colours are opaque: alpha is ignored.
package struct MandelbrotPalette: Sendable, Hashable {
    /// The colour of points that never escape.
    package let interior: RGBA
    /// The colours of the ring, at equal distances. Each colour blends into the next, and the last into the first.
    /// There is at least one.
    package let colors: [RGBA]

    /// Creates a palette. If `colors` is empty, the ring is white.
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
    /// Creates the opaque colour `0xrrggbb`.
    init(hex: UInt32) {
        self.init(
            red: UInt8(truncatingIfNeeded: hex >> 16), green: UInt8(truncatingIfNeeded: hex >> 8),
            blue: UInt8(truncatingIfNeeded: hex))
    }
}
