import Raster
import Settings

extension ReliefSource {
    static let keys = ["seed", "palette", "colors", "sunAzimuth", "sunAltitude", "shading"]

    static func read(_ section: inout MappingReader) -> ReliefSource {
        var source = ReliefSource()
        section.value("seed", .integer(0...4_294_967_295), into: &source.seed)
        section.value("palette", .choice, into: &source.palette)
        source.colors = section.colors(6...6)
        section.value("sunAzimuth", .real(0...360), into: &source.sunAzimuth)
        section.value("sunAltitude", .real(1...90), into: &source.sunAltitude)
        section.value("shading", .real(0...2), into: &source.shading)
        return source
    }
}

extension MandelbrotSource {
    static let keys = ["center", "width", "palette", "colors", "interior"]

    static func read(_ section: inout MappingReader) -> MandelbrotSource {
        var source = MandelbrotSource()
        var center = [source.real, source.imaginary]
        section.list("center", count: 2...2, into: &center) { _ in .real(-4...4) }
        (source.real, source.imaginary) = (center[0], center[1])
        section.value("width", .real(0.001...16), into: &source.width)
        section.value("palette", .choice, into: &source.palette)
        source.colors = section.colors(2...16)
        source.interior = section.value("interior", .color)
        return source
    }
}

extension DaylightSource {
    static let keys = ["time", "refresh", "color", "twilight"]

    static func read(_ section: inout MappingReader) -> DaylightSource {
        var source = DaylightSource()
        section.value("time", .moment, into: &source.time)
        section.value("refresh", .duration(.seconds(1)...Duration.seconds(86_400)), into: &source.refresh)
        section.value("color", .color, into: &source.color)
        section.value("twilight", .choice, into: &source.twilight)
        if section.has("refresh"), source.time != .now {
            section.refuse("refresh", "a fixed time has nothing to refresh")
        } else if source.refresh.components.attoseconds != 0 {
            section.complain("refresh", "expected whole seconds, found \(shown(source.refresh))")
        }
        return source
    }
}

extension MappingReader {
    /// Colours that replace those of a palette, of which a layer has one or the other.
    fileprivate mutating func colors(_ count: ClosedRange<Int>) -> [RGBA]? {
        var colors: [RGBA] = []
        list("colors", count: count, into: &colors) { _ in .color }
        if has("colors"), has("palette") { refuse("colors", "the layer has a palette already") }
        return colors.isEmpty ? nil : colors
    }
}
