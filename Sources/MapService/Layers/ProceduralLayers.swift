import Configuration
import Generators
import Raster
import Tiles

extension ReliefLayer {
    /// The layer that the settings describe.
    package init(_ source: ReliefSource, tileSize: TileSize) {
        self.init(
            seed: UInt64(clamping: source.seed), palette: ReliefPalette(source),
            sun: Sun(azimuth: source.sunAzimuth, altitude: source.sunAltitude), shading: source.shading,
            tileSize: tileSize)
    }
}

extension ReliefPalette {
    fileprivate init(_ source: ReliefSource) {
        if let colors = source.colors, colors.count == 6 {
            self.init(
                sea: colors[0], shore: colors[1], lowland: colors[2], hills: colors[3], mountains: colors[4],
                snow: colors[5])
            return
        }
        self =
            switch source.palette {
            case .atlas: .atlas
            case .desert: .desert
            case .winter: .winter
            case .gray: .gray
            }
    }
}

extension MandelbrotLayer {
    /// The layer that the settings describe.
    package init(_ source: MandelbrotSource, tileSize: TileSize) {
        let standard: MandelbrotPalette =
            switch source.palette {
            case .dusk: .dusk
            case .fire: .fire
            case .ice: .ice
            case .gray: .gray
            }
        let palette = MandelbrotPalette(
            interior: source.interior ?? standard.interior,
            colors: source.colors ?? standard.colors)
        self.init(
            window: MandelbrotWindow(real: source.real, imaginary: source.imaginary, width: source.width),
            palette: palette, tileSize: tileSize)
    }
}

extension DaylightLayer {
    /// The layer that the settings describe, by the system's clock.
    package init(_ source: DaylightSource, tileSize: TileSize) {
        let moment: Moment =
            switch source.time {
            case .now: .now(refresh: Int(clamping: source.refresh.components.seconds))
            case .fixed(let time): .fixed(time)
            }
        self.init(
            moment: moment, color: source.color, twilight: source.twilight == .smooth ? .smooth : .steps,
            tileSize: tileSize)
    }
}
