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

extension ReliefSource.Palette {
    var colors: ReliefPalette {
        switch self {
        case .atlas:
            ReliefPalette(
                sea: RGBA(red: 74, green: 124, blue: 168), shore: RGBA(red: 218, green: 214, blue: 174),
                lowland: RGBA(red: 142, green: 176, blue: 112), hills: RGBA(red: 196, green: 184, blue: 128),
                mountains: RGBA(red: 156, green: 126, blue: 98), snow: RGBA(red: 250, green: 250, blue: 252))
        case .desert:
            ReliefPalette(
                sea: RGBA(red: 70, green: 134, blue: 148), shore: RGBA(red: 240, green: 228, blue: 198),
                lowland: RGBA(red: 228, green: 204, blue: 154), hills: RGBA(red: 206, green: 154, blue: 98),
                mountains: RGBA(red: 150, green: 88, blue: 62), snow: RGBA(red: 250, green: 244, blue: 232))
        case .winter:
            ReliefPalette(
                sea: RGBA(red: 64, green: 92, blue: 122), shore: RGBA(red: 202, green: 210, blue: 214),
                lowland: RGBA(red: 186, green: 200, blue: 200), hills: RGBA(red: 168, green: 182, blue: 190),
                mountains: RGBA(red: 128, green: 138, blue: 152), snow: RGBA(red: 255, green: 255, blue: 255))
        case .gray:
            ReliefPalette(
                sea: RGBA(red: 196, green: 202, blue: 208), shore: RGBA(red: 240, green: 240, blue: 238),
                lowland: RGBA(red: 232, green: 232, blue: 230), hills: RGBA(red: 218, green: 218, blue: 216),
                mountains: RGBA(red: 198, green: 198, blue: 197), snow: RGBA(red: 252, green: 252, blue: 252))
        }
    }
}
