import Raster
import Settings

extension GeneratorSource {
    /// Reads the generator and its keys; nil where there is no such generator.
    static func read(_ section: inout MappingReader) -> GeneratorSource? {
        var kind: Kind?
        section.value("generator", .choice, into: &kind)
        guard let kind else {
            if section.isSound("generator") { section.complain("generator", "expected a generator, found nothing") }
            section.acknowledge(keys)
            return nil
        }
        let own = kind.keys
        for key in keys where !own.contains(key) {
            let others = own.isEmpty ? "has no keys of its own" : "does not have this key, only \(alternatives(own))"
            section.refuse(key, "the generator \(kind.rawValue) \(others)")
        }
        return kind.read(&section)
    }

    /// The keys that some generator reads.
    static let keys: [String] = {
        var keys: [String] = []
        for key in Kind.allCases.flatMap(\.keys) where !keys.contains(key) { keys.append(key) }
        return keys
    }()
}

/// The generators by their names in the file.
private enum Kind: String, CaseIterable {
    case solid, checkerboard, grid, graticule, oddColumns, world, relief, mandelbrot, daylight

    var keys: [String] {
        switch self {
        case .solid: ["color"]
        case .checkerboard: ["colors", "cells"]
        case .grid, .graticule: ["color", "background"]
        case .oddColumns: []
        case .world: WorldColors.keys
        case .relief: ReliefSource.keys
        case .mandelbrot: MandelbrotSource.keys
        case .daylight: DaylightSource.keys
        }
    }

    func read(_ section: inout MappingReader) -> GeneratorSource {
        switch self {
        case .solid:
            return .solid(color: section.color("color", or: RGBA(red: 128, green: 128, blue: 128)))
        case .checkerboard:
            var colors = [RGBA(red: 255, green: 255, blue: 255), RGBA(red: 224, green: 226, blue: 230)]
            var cells = 8
            section.list("colors", count: 2...2, into: &colors) { _ in .color }
            section.value("cells", .oneOf([1, 2, 4, 8, 16, 32, 64]), into: &cells)
            return .checkerboard(first: colors[0], second: colors[1], cells: cells)
        case .grid:
            return .grid(
                color: section.color("color", or: RGBA(red: 32, green: 66, blue: 128)),
                background: section.color("background", or: .clear))
        case .graticule:
            return .graticule(
                color: section.color("color", or: RGBA(red: 62, green: 78, blue: 98)),
                background: section.color("background", or: .clear))
        case .oddColumns:
            return .oddColumns
        case .world:
            return .world(colors: WorldColors.read(&section))
        case .relief: return .relief(.read(&section))
        case .mandelbrot: return .mandelbrot(.read(&section))
        case .daylight: return .daylight(.read(&section))
        }
    }
}

extension WorldColors {
    fileprivate static let keys = [
        "water", "shallows", "land", "lake", "coast", "boundary", "place", "text", "halo",
    ]

    fileprivate static func read(_ section: inout MappingReader) -> WorldColors {
        var colors = WorldColors()
        colors.water = section.value("water", .color)
        colors.shallows = section.value("shallows", .color)
        colors.land = section.value("land", .color)
        colors.lake = section.value("lake", .color)
        colors.coast = section.value("coast", .color)
        colors.boundary = section.value("boundary", .color)
        colors.place = section.value("place", .color)
        colors.text = section.value("text", .color)
        colors.halo = section.value("halo", .color)
        return colors
    }
}

extension RGBA {
    fileprivate static let clear = RGBA(red: 0, green: 0, blue: 0, alpha: 0)
}

extension MappingReader {
    fileprivate mutating func color(_ key: String, or standard: RGBA) -> RGBA {
        var color = standard
        value(key, .color, into: &color)
        return color
    }
}
