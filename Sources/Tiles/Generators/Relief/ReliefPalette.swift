import Raster

/// The colours of heights. All opaque; alpha does not count.
package struct ReliefPalette: Sendable, Hashable {
    /// Deep sea; shallow water is lighter.
    package let sea: RGBA
    /// Land at the sea's level.
    package let shore: RGBA
    /// Most of the land.
    package let lowland: RGBA
    /// Halfway to the mountains.
    package let hills: RGBA
    /// The highest land that snow leaves bare.
    package let mountains: RGBA
    /// The highest land, and towards the poles the lower too.
    package let snow: RGBA
}

extension ReliefPalette {
    /// Sea, shore, lowland, hills, mountains, snow, as `0xrrggbb`.
    fileprivate init(hex colors: UInt32...) {
        self.init(colors.map(RGBA.init(hex:)))
    }

    /// The palette of `colors`, from the sea upwards.
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
