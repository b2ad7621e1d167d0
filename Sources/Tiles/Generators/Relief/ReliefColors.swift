import Raster

/// Converts heights and depths to colours, and makes these colours lighter or darker by the light of the sun.
struct ReliefColors {
    /// The colours by depth and by height, in `steps` steps from sea level to 1.
    private let water: [SIMD4<Float>]
    private let land: [SIMD4<Float>]
    private let snow: SIMD4<Float>
    /// The colour of sunlight. Hillsides that face the sun blend towards it.
    private static var sunlight: SIMD4<Float> { SIMD4(255, 252, 240, 255) }
    /// The fraction of each channel that a shadow removes. Shadows are bluish.
    private static var shadow: SIMD4<Float> { SIMD4(0.86, 0.8, 0.68, 0) }
    private static let steps = 1_024

    /// Creates the tables from colours at some depths and heights. Between these, the colours are blended.
    init(_ palette: ReliefPalette) {
        let sea = palette.sea.channels
        let shore = palette.shore.channels
        let (lowland, hills, mountains) = (
            palette.lowland.channels, palette.hills.channels, palette.mountains.channels
        )
        snow = palette.snow.channels
        let shallows = sea + (SIMD4(repeating: 255) - sea) * 0.42
        let shelf = sea + (shallows - sea) * 0.62
        water = Self.table([(0, shallows), (0.06, shelf), (0.3, sea), (1, sea * 0.86)])
        land = Self.table([
            (0, shore), (0.025, (shore + lowland) / 2), (0.06, lowland), (0.22, lowland * 0.6 + hills * 0.4),
            (0.36, hills), (0.62, mountains), (1, mountains),
        ])
    }

    /// Returns the colour of land at `height`, with channels of 0…255. Around `snowLine` the land gets covered with
    /// snow.
    @inline(__always)
    func land(at height: Double, snowLine: Double) -> SIMD4<Float> {
        let bare = land[Int(min(max(height, 0), 1) * Double(Self.steps))]
        let cover = Float(min(max((height - snowLine) / 0.16 + 0.5, 0), 1))
        return bare + (snow - bare) * (cover * cover * (3 - 2 * cover))
    }

    /// Returns the colour of water at `depth`.
    @inline(__always)
    func water(at depth: Double) -> SIMD4<Float> {
        water[Int(min(max(depth, 0), 1) * Double(Self.steps))]
    }

    /// Returns `color` with changed light. `change` is the difference from the light on level ground, which is 1. A
    /// negative change makes the colour darker.
    @inline(__always)
    static func lit(_ color: SIMD4<Float>, change: Float) -> SIMD4<Float> {
        change < 0
            ? color * (1 + change * shadow) : color + (sunlight - color) * (0.5 * change / (0.6 + change))
    }

    private static func table(_ stops: [(place: Double, color: SIMD4<Float>)]) -> [SIMD4<Float>] {
        (0...steps).map { step in
            let place = Double(step) / Double(steps)
            let next = stops.firstIndex { $0.place >= place } ?? stops.count - 1
            guard next > 0 else { return stops[0].color }
            let (low, high) = (stops[next - 1], stops[next])
            return low.color + (high.color - low.color) * Float((place - low.place) / (high.place - low.place))
        }
    }
}

extension RGBA {
    /// The channels red, green, blue and alpha, 0…255.
    var channels: SIMD4<Float> {
        SIMD4(Float(red), Float(green), Float(blue), Float(alpha))
    }

    /// Creates the opaque colour nearest to `channels`, which are clamped to 0…255.
    @inline(__always)
    init(opaque channels: SIMD4<Float>) {
        var cut = channels + 0.5
        cut.replace(with: 255, where: cut .> 255)
        cut.replace(with: 0, where: cut .< 0)
        self.init(red: UInt8(cut.x), green: UInt8(cut.y), blue: UInt8(cut.z))
    }
}

/// The colours of heights and depths in a relief. All colours are opaque: alpha is ignored.
package struct ReliefPalette: Sendable, Hashable {
    /// The colour of the deep sea. Shallow water is lighter, and the deepest water is darker.
    package let sea: RGBA
    /// The colour of land at sea level.
    package let shore: RGBA
    /// The colour of most of the land.
    package let lowland: RGBA
    /// The colour of land halfway to the mountains.
    package let hills: RGBA
    /// The colour of the highest land without snow.
    package let mountains: RGBA
    /// The colour of the highest land. Towards the poles lower land has it too.
    package let snow: RGBA
}

extension ReliefPalette {
    /// Creates a palette from the colours of sea, shore, lowland, hills, mountains and snow, as `0xrrggbb`.
    fileprivate init(hex colors: UInt32...) {
        self.init(colors.map(RGBA.init(hex:)))
    }

    /// Creates a palette from six colours, from the sea upwards.
    init(_ colors: [RGBA]) {
        self.init(
            sea: colors[0], shore: colors[1], lowland: colors[2], hills: colors[3], mountains: colors[4],
            snow: colors[5])
    }
}

extension ReliefSource.Palette {
    var colors: ReliefPalette {
        switch self {
        case .atlas: ReliefPalette(hex: 0x4A7CA8, 0xDAD6AE, 0x8EB070, 0xC4B880, 0x9C7E62, 0xFAFAFC)
        case .desert: ReliefPalette(hex: 0x468694, 0xF0E4C6, 0xE4CC9A, 0xCE9A62, 0x96583E, 0xFAF4E8)
        case .winter: ReliefPalette(hex: 0x405C7A, 0xCAD2D6, 0xBAC8C8, 0xA8B6BE, 0x808A98, 0xFFFFFF)
        case .gray: ReliefPalette(hex: 0xC4CAD0, 0xF0F0EE, 0xE8E8E6, 0xDADAD8, 0xC6C6C5, 0xFCFCFC)
        }
    }
}
