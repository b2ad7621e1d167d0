import Bytes
import Foundation
import Keys
import MapGeometry
import Raster
import Tiles

/// A layer that shows where it is night. It draws a shade, which gets darker as the sun sinks below the horizon. If the
/// layer shows the current time, a tile stays fresh only until its picture changes.
package struct DaylightLayer: SyncTileLayer {
    /// The time that the layer shows.
    package let moment: Moment
    /// The colour of the shade where the night is darkest. The alpha of the colour is the opacity of the shade.
    package let color: RGBA
    /// The transition from day to night.
    package let twilight: Twilight
    /// The side of a tile, in points.
    package let tileSize: TileSize
    package var scales: ClosedRange<Int> { TileSize.scales }
    private let clock: @Sendable () -> Double

    static let refreshes = 1...86_400

    /// The time that the shade shows.
    package enum Moment: Sendable, Hashable {
        /// The current time. The picture shows the middle of an interval of `refresh` seconds, in `refreshes`. All
        /// tiles change at the same moment, so that neighbouring tiles fit together.
        case now(refresh: Int)
        /// A fixed time, in seconds since 1970-01-01 UTC.
        case fixed(Double)
    }

    package typealias Twilight = DaylightSource.Twilight

    /// Creates the layer. `clock` returns the time in seconds since 1970-01-01 UTC, and may be called on any thread.
    package init(
        moment: Moment = DaylightSource().moment, color: RGBA = DaylightSource().color,
        twilight: Twilight = .smooth, tileSize: TileSize = .standard,
        clock: @escaping @Sendable () -> Double = { Date().timeIntervalSince1970 }
    ) {
        if case .now(let refresh) = moment {
            self.moment = .now(refresh: min(max(refresh, Self.refreshes.lowerBound), Self.refreshes.upperBound))
        } else {
            self.moment = moment
        }
        self.color = color
        self.twilight = twilight
        self.tileSize = tileSize
        self.clock = clock
    }

    /// Seconds until the picture changes. Nil for a fixed time, because that picture never changes.
    package var lifetime: Int? {
        guard case .now(let refresh) = moment else { return nil }
        let time = now
        return max(1, Int((start(of: time, refresh) + Double(refresh) - time).rounded(.up)))
    }

    package func tile(x: Int, y: Int, zoom: Int, scale: Int) -> SyncTile? {
        .image(picture(of: TileFrame(x: x, y: y, zoom: zoom, scale: scale, tileSize: tileSize)))
    }

    /// Returns the shade of the night for the part of the world that `frame` shows.
    func picture(of frame: TileFrame) -> Pixmap {
        let sun = SolarPosition(secondsSince1970: shownTime)
        let columns = (0..<frame.side).map { column in
            let longitude = ((frame.left + Double(column) + 0.5) / frame.worldSide * 2 - 1) * .pi
            return cos(longitude - sun.longitude)
        }
        var pixmap = Pixmap(width: frame.side, height: frame.side)
        pixmap.bytes.withUnsafeMutableBytes { bytes in
            let pixels = bytes.bindMemory(to: RGBA.self)
            for row in 0..<frame.side {
                let latitude = Mercator.latitude(atY: (frame.top + Double(row) + 0.5) / frame.worldSide) * .pi / 180
                // The sine of the sun's altitude. Along a row it is a constant plus a multiple of a cosine.
                let (constant, factor) = (
                    sin(latitude) * sin(sun.declination), cos(latitude) * cos(sun.declination)
                )
                let ramp = NightRamp(twilight, pixel: 2 * .pi * cos(latitude) / frame.worldSide)
                for column in 0..<frame.side {
                    let depth = ramp.depth(sine: constant + factor * columns[column])
                    var shade = color
                    shade.alpha = UInt8(Double(color.alpha) * depth + 0.5)
                    pixels[row * frame.side + column] = shade.alpha == 0 ? .transparent : shade
                }
            }
        }
        return pixmap
    }

    /// The time that a picture shows if it is drawn now.
    private var shownTime: Double {
        switch moment {
        case .fixed(let time): Self.usable(time)
        case .now(let refresh): start(of: now, refresh) + Double(refresh) / 2
        }
    }

    private var now: Double { Self.usable(clock()) }

    /// Returns the nearest time in the years 1…9999. Returns the start of 1970 for NaN.
    static func usable(_ time: Double) -> Double {
        time.isNaN ? 0 : min(max(time, -62_135_596_800), 253_402_300_799)
    }

    private func start(of time: Double, _ refresh: Int) -> Double {
        (time / Double(refresh)).rounded(.down) * Double(refresh)
    }
}

/// Tells how dark the night is, from the sine of the sun's altitude above the horizon.
private struct NightRamp {
    private enum Shape {
        case smooth
        /// Steps with soft edges. `reach` is half the width of an edge, as a sine.
        case steps(reach: Double)
    }

    private let shape: Shape
    /// The altitudes of the steps, as sines: sunset, with refraction and the sun's radius, and the ends of the
    /// twilights.
    private static let ends = [-0.833, -6, -12, -18].map { sin($0 * .pi / 180) }
    private static let (dusk, night) = (ends[0], ends[3])

    /// Creates a ramp. `pixel` is the size of a pixel in radians.
    init(_ twilight: DaylightLayer.Twilight, pixel: Double) {
        switch twilight {
        case .smooth: shape = .smooth
        // An edge is a pixel and a half wide, and at least about two tenths of a degree.
        case .steps: shape = .steps(reach: max(0.75 * pixel, 0.001_7))
        }
    }

    /// Returns the depth of the night, from 0 by day to 1 when the night is darkest.
    func depth(sine: Double) -> Double {
        switch shape {
        case .smooth: return Self.smoothstep((Self.dusk - sine) / (Self.dusk - Self.night))
        case .steps(let reach):
            var depth = 0.0
            for end in Self.ends { depth += Self.smoothstep((end - sine) / (2 * reach) + 0.5) }
            return depth / Double(Self.ends.count)
        }
    }

    private static func smoothstep(_ value: Double) -> Double {
        let part = min(max(value, 0), 1)
        return part * part * (3 - 2 * part)
    }
}

/// The settings of the generator `daylight`.
public struct DaylightSource: Sendable, Equatable {
    /// The time that the layer shows.
    public var time = Time.now
    /// The interval between two pictures of the current time: whole seconds, 1 s…1 d. A fixed time ignores it.
    public var refresh = Duration.seconds(60)
    /// The colour of the shade where the night is darkest. The alpha of the colour is the opacity of the shade.
    public var color = RGBA(red: 6, green: 12, blue: 40, alpha: 176)
    /// The transition from day to night.
    public var twilight = Twilight.smooth

    /// A fixed time, or the current time.
    public enum Time: Sendable, Equatable {
        /// The middle of the present interval of `refresh`.
        case now
        /// A fixed time, in seconds since 1970-01-01 UTC, in the years 1…9999.
        case fixed(Double)
    }

    /// The transition from day to night, from sunset to the end of astronomical twilight (sun 18° below the horizon).
    public enum Twilight: String, Sendable, CaseIterable {
        /// The shade deepens continuously from sunset on.
        case smooth
        /// The shade deepens in steps with soft edges: at sunset and at the end of each of the three twilights.
        case steps
    }

    /// Creates the default settings.
    public init() {}
}

extension DaylightSource: GeneratorSettings {
    package static let name = "daylight"
    package static let doc = "shade of the night, at `time` or now; its tiles become stale"
    package static let keys: [Key<DaylightSource>] = [
        Key("time", \.time, .moment, "date and time of the night that is drawn"),
        Key(
            "refresh", \.refresh, .duration(refreshes),
            "time until a drawing of `now` is drawn again, in whole seconds"),
        Key("color", \.color, .color, "colour of the darkest night"),
        Key(
            "twilight", \.twilight, .choice,
            "change from day to night: even, or in steps at sunset and at the end of each of the three twilights"),
    ]

    private static var refreshes: ClosedRange<Duration> {
        .seconds(DaylightLayer.refreshes.lowerBound)...Duration.seconds(DaylightLayer.refreshes.upperBound)
    }

    package func check(_ section: inout MappingReader) {
        if section.has("refresh"), time != .now {
            section.refuse("refresh", "cannot be set with a fixed time")
        } else if refresh.components.attoseconds != 0 {
            section.complain("refresh", "expected whole seconds, found \(shown(refresh))")
        }
    }

    /// Creates a layer that uses the system's clock.
    package func layer(tileSize: TileSize) -> any SyncTileLayer {
        DaylightLayer(moment: moment, color: color, twilight: twilight, tileSize: tileSize)
    }

    package var moment: DaylightLayer.Moment {
        switch time {
        case .now: .now(refresh: Int(clamping: refresh.components.seconds))
        case .fixed(let time): .fixed(time)
        }
    }
}

extension GeneratorSource {
    /// Draws the night as a shade.
    public static func daylight(_ source: DaylightSource) -> GeneratorSource { GeneratorSource(source) }
}

extension ValueRule where Value == DaylightSource.Time {
    /// The rule for `now`, or a date and time (RFC 3339 5.6).
    fileprivate static var moment: ValueRule {
        ValueRule(
            expected: "now or a time such as 2026-06-21T12:00:00Z",
            schema: [
                "type": "string",
                "pattern": "^(now|[0-9]{4}-[0-9]{2}-[0-9]{2}[Tt ][0-9:.]+([Zz]|[+-][0-9]{2}:[0-9]{2}))$",
            ], values: "`now`, a time such as `2026-06-21T12:00:00Z`",
            // This text is only used for defaults, and no default is a fixed time.
            write: { $0 == .now ? "now" : "a time" },
            refusal: { time in
                // The offset of a time zone moves a time by less than a day, so this much outside the range is
                // accepted.
                guard case .fixed(let time) = time, !(abs(time - DaylightLayer.usable(time)) < 86_400) else {
                    return nil
                }
                return Refusal(expected: "a time in the years 1…9999", found: "\(time) seconds since 1970")
            }
        ) { scalar in
            if scalar.text == "now" { return .now }
            return secondsSince1970(scalar.text).map(DaylightSource.Time.fixed)
        }
    }
}
