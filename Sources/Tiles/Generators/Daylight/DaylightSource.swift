import Bytes
import Raster
import Keys
import Tiles

/// What the generator `daylight` draws.
public struct DaylightSource: Sendable, Equatable {
    /// Whose night it is.
    public var time = Time.now
    /// How long a picture of the present stands still; whole seconds, 1 s…1 d. Without meaning for a fixed time.
    public var refresh = Duration.seconds(60)
    /// The night where it is darkest; its alpha is the shade's.
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

    /// How day becomes night: the shade between sunset and the end of astronomical twilight, 18° below the horizon.
    public enum Twilight: String, Sendable, CaseIterable {
        /// From sunset on, without a step.
        case smooth
        /// At sunset and at the ends of civil, nautical and astronomical twilight, with soft edges.
        case steps
    }

    /// The defaults.
    public init() {}
}

extension DaylightSource: GeneratorSettings {
    package static let name = "daylight"
    package static let doc = "the night as a shade, at `time` or now; its tiles go stale"
    package static let keys: [Key<DaylightSource>] = [
        Key("time", \.time, .moment, "whose night it is"),
        Key(
            "refresh", \.refresh, .duration(refreshes),
            "how long a picture of the present stands still, in whole seconds"),
        Key("color", \.color, .color, "the night where it is darkest"),
        Key("twilight", \.twilight, .choice, "whether the shade deepens evenly, or with each of the three twilights"),
    ]

    private static var refreshes: ClosedRange<Duration> {
        .seconds(DaylightLayer.refreshes.lowerBound)...Duration.seconds(DaylightLayer.refreshes.upperBound)
    }

    package func check(_ section: inout MappingReader) {
        if section.has("refresh"), time != .now {
            section.refuse("refresh", "a fixed time has nothing to refresh")
        } else if refresh.components.attoseconds != 0 {
            section.complain("refresh", "expected whole seconds, found \(shown(refresh))")
        }
    }

    /// By the system's clock.
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
    /// The night, as a shade.
    public static func daylight(_ source: DaylightSource) -> GeneratorSource { GeneratorSource(source) }
}

extension ValueRule where Value == DaylightSource.Time {
    /// `now`, or a date and time (RFC 3339 5.6).
    fileprivate static var moment: ValueRule {
        ValueRule(
            expected: "now or a time such as 2026-06-21T12:00:00Z",
            schema: [
                "type": "string",
                "pattern": "^(now|[0-9]{4}-[0-9]{2}-[0-9]{2}[Tt ][0-9:.]+([Zz]|[+-][0-9]{2}:[0-9]{2}))$",
            ], values: "`now`, a time such as `2026-06-21T12:00:00Z`",
            // No default is a fixed time.
            write: { $0 == .now ? "now" : "a time" },
            refusal: { time in
                // The offset of a time zone moves a time of these years by less than a day.
                guard case .fixed(let time) = time, !(abs(time - DaylightLayer.usable(time)) < 86_400) else {
                    return nil
                }
                return Refusal(expected: "in the years 1…9999", found: "\(time) seconds since 1970")
            }
        ) { scalar in
            if scalar.text == "now" { return .now }
            return secondsSince1970(scalar.text).map(DaylightSource.Time.fixed)
        }
    }
}
