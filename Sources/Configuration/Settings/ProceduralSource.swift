import Raster

/// What the generator `relief` draws.
public struct ReliefSource: Sendable, Equatable {
    /// Which world it is; 0…4,294,967,295.
    public var seed = 1
    /// The colours, unless there are others in `colors`.
    public var palette = Palette.atlas
    /// Six colours: sea, shore, lowland, hills, mountains, snow. Nil: those of `palette`.
    public var colors: [RGBA]?
    /// Degrees clockwise from north, 0…360.
    public var sunAzimuth = 315.0
    /// Degrees above the horizon, 1…90.
    public var sunAltitude = 45.0
    /// How much hillsides differ from level ground, 0…2.
    public var shading = 1.0

    /// The colour ramps by their names in the file.
    public enum Palette: String, Sendable, CaseIterable {
        /// Green lowland, brown mountains, as school atlases have them.
        case atlas
        /// Sand and red rock.
        case desert
        /// Frost on pale land.
        case winter
        /// No colours.
        case gray
    }

    /// The defaults.
    public init() {}
}

/// What the generator `mandelbrot` draws.
public struct MandelbrotSource: Sendable, Equatable {
    /// The middle of the world in the complex plane, within ±4.
    public var real = -0.75
    /// The same, of i.
    public var imaginary = 0.0
    /// The world's side there, 0.001…16.
    public var width = 3.0
    /// The colours, unless there are others in `colors`.
    public var palette = Palette.dusk
    /// A ring of 2…16 colours. Nil: that of `palette`.
    public var colors: [RGBA]?
    /// The set itself. Nil: the colour of `palette`.
    public var interior: RGBA?

    /// The rings by their names in the file.
    public enum Palette: String, Sendable, CaseIterable {
        /// From night blue by white and amber to the night.
        case dusk
        /// Embers: black by red and yellow to white.
        case fire
        /// Deep water by turquoise to white.
        case ice
        /// No colours.
        case gray
    }

    /// The defaults.
    public init() {}
}

/// What the generator `daylight` draws.
public struct DaylightSource: Sendable, Equatable {
    /// Whose night it is.
    public var time = Time.now
    /// How long a picture of the present stands still; whole seconds, 1 s…1 d. Without meaning for a fixed time.
    public var refresh = Duration.seconds(60)
    /// The night where it is darkest.
    public var color = RGBA(red: 6, green: 12, blue: 40, alpha: 176)
    /// How the shade deepens.
    public var twilight = Twilight.smooth

    /// A moment, or the present.
    public enum Time: Sendable, Equatable {
        /// The present, whenever a tile is drawn.
        case now
        /// Seconds since 1970-01-01 UTC, in the years 1…9999.
        case fixed(Double)
    }

    /// How day becomes night.
    public enum Twilight: String, Sendable, CaseIterable {
        /// From sunset on, without a step.
        case smooth
        /// At sunset and at the ends of civil, nautical and astronomical twilight.
        case steps
    }

    /// The defaults.
    public init() {}
}
