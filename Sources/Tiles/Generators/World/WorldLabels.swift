import Raster
import Synchronization
import Text
import Tiles

/// The name of a town, and the position of the name on the map.
struct WorldLabel: Sendable, Equatable {
    let town: WorldTown
    /// The text size in points.
    let textSize: Double
    let position: Position
    /// The box around the name, the dot and the rim, in points from the town's place. The box is wide enough for every
    /// scale.
    let box: WorldBox

    init(town: WorldTown, textSize: Double, position: Position) {
        self.town = town
        self.textSize = textSize
        self.position = position
        box = TileSize.scales.reduce(Self.dotBox(of: town)) { box, scale in
            let font = Font(size: textSize * Double(scale))
            let origin = Self.origin(of: town, position, font: font, scale: Double(scale))
            let (rim, scale) = (2 * Double(scale), Double(scale))
            return box.union(
                WorldBox(
                    left: (origin.x - rim) / scale, top: (origin.y - font.capHeight - rim) / scale,
                    right: (origin.x + font.width(of: town.name) + rim) / scale,
                    bottom: (origin.y + 0.25 * font.size + rim) / scale))
        }
    }

    /// The position of the name relative to the town, best position first.
    enum Position: CaseIterable, Sendable {
        case right, left, above, below
    }

    /// Returns the vector from the town's place to the left end of the baseline, in pixels.
    func origin(font: Font, scale: Double) -> Point {
        Self.origin(of: town, position, font: font, scale: scale)
    }

    private static func origin(of town: WorldTown, _ position: Position, font: Font, scale: Double) -> Point {
        let width = font.width(of: town.name)
        let gap = (WorldWeights.dotSize(rank: town.rank) / 2 + 3) * scale
        return switch position {
        case .right: Point(x: gap, y: font.capHeight / 2)
        case .left: Point(x: -gap - width, y: font.capHeight / 2)
        case .above: Point(x: -width / 2, y: -gap)
        case .below: Point(x: -width / 2, y: gap + font.capHeight)
        }
    }

    /// Returns the box of the dot and its rim, in points from the town's place.
    static func dotBox(of town: WorldTown) -> WorldBox {
        let reach = WorldWeights.dotSize(rank: town.rank) / 2 + 1
        return WorldBox(left: -reach, top: -reach, right: reach, bottom: reach)
    }

}

/// Decides which towns and seas have a name at each zoom, and where the names are drawn. One decision is made for the
/// whole world, so that a name that crosses a tile border looks right on both tiles. Thread rule: any thread.
final class WorldLabels: Sendable {
    /// The names at one zoom. The names do not overlap.
    struct Names: Sendable, Equatable {
        var towns: [WorldLabel] = []
        var seas: [WorldSeaLabel] = []
        var countries: [WorldCountryLabel] = []
    }

    /// The language of the names of countries.
    private let language: String
    // The decided names by zoom. All drawing threads share this cache.
    private let decided = Mutex<[Int: Names]>([:])

    /// The zoom from which on there is room for every name. All deeper zooms use its names.
    private static let roomyZoom = 14

    init(language: String = WorldColors.standardLanguage) {
        self.language = language
    }

    /// Returns the names in a world of 256 · 2^`zoom` points a side.
    func names(zoom: Int) -> Names {
        let zoom = min(zoom, Self.roomyZoom)
        if let names = decided.withLock({ $0[zoom] }) { return names }
        // Decides without the lock. Two threads may decide for the same zoom at the same time, but their results are
        // equal.
        let names = Self.decide(zoom: zoom, language: language)
        decided.withLock { $0[zoom] = names }
        return names
    }

    /// Chooses the names of one zoom and their positions. The countries come first, then the most important towns, and
    /// the seas last. A name for which no position is free is left out.
    private static func decide(zoom: Int, language: String) -> Names {
        let world = Double(256 << zoom)
        let unit = world / Double(WorldData.grid)
        var taken: [WorldBox] = []
        let isFree = { (box: WorldBox) in !taken.contains { $0.meets(box, inWorldOf: world) } }
        var names = Names()
        let towns = WorldTown.all.filter { $0.firstZoom <= Double(zoom) + 0.75 }
        let capitals = towns.filter(\.isCapital).map { WorldLabel.dotBox(of: $0).moved($0.x * unit, $0.y * unit) }
        let countries = WorldCountryLabel.zooms.contains(zoom) ? WorldCountry.all(language: language) : []
        for country in countries {
            let (x, y) = (country.x * unit, country.y * unit)
            let free = WorldCountryLabel.choices(for: country, language: language, zoom: zoom).filter {
                let box = $0.box.moved(x, y)
                return box.top >= 0 && box.bottom <= world && isFree(box)
            }
            // Prefers a position that covers no capital.
            let clear = free.first { label in
                let box = label.box.moved(x, y)
                return !capitals.contains { $0.meets(box, inWorldOf: world) }
            }
            guard let label = clear ?? free.first else { continue }
            names.countries.append(label)
            taken.append(label.box.moved(x, y))
        }
        for town in towns where town.firstZoom <= Double(zoom) + 0.75 {
            let (x, y) = (town.x * unit, town.y * unit)
            let dot = WorldLabel.dotBox(of: town).moved(x, y)
            guard isFree(dot) else { continue }
            let size = WorldWeights.textSize(rank: town.rank, zoom: zoom)
            let free = WorldLabel.Position.allCases.map { WorldLabel(town: town, textSize: size, position: $0) }.filter
            {
                let box = $0.box.moved(x, y)
                return box.top >= 0 && box.bottom <= world && isFree(box)
            }
            // Prefers a position that does not cross the antimeridian, because maps that end there would cut the name
            // off.
            let whole = free.first { $0.box.left + x >= 0 && $0.box.right + x <= world }
            guard let label = whole ?? free.first else { continue }
            names.towns.append(label)
            taken += [label.box.moved(x, y), dot]
        }
        for sea in WorldSea.all where sea.zooms.contains(zoom) {
            let label = WorldSeaLabel(sea: sea, zoom: zoom)
            let box = label.box.moved(sea.x * unit, sea.y * unit)
            guard isFree(box) else { continue }
            names.seas.append(label)
            taken.append(box)
        }
        return names
    }
}

extension WorldBox {
    fileprivate func union(_ other: WorldBox) -> WorldBox {
        WorldBox(
            left: min(left, other.left), top: min(top, other.top), right: max(right, other.right),
            bottom: max(bottom, other.bottom))
    }

    fileprivate func moved(_ x: Double, _ y: Double) -> WorldBox {
        WorldBox(left: left + x, top: top + y, right: right + x, bottom: bottom + y)
    }

    /// Reports whether the box is at least partly on the tile of `frame`. The box is in points around a place, and
    /// `center` is the position of this place on the tile, in pixels.
    func reaches(canvasOf frame: TileFrame, from center: Point) -> Bool {
        let near = WorldBox(
            left: -center.x / frame.scale, top: -center.y / frame.scale,
            right: (Double(frame.side) - center.x) / frame.scale, bottom: (Double(frame.side) - center.y) / frame.scale)
        return meets(near)
    }

    /// Reports whether the two boxes overlap on a map that repeats every `width`.
    fileprivate func meets(_ other: WorldBox, inWorldOf width: Double) -> Bool {
        [-width, 0, width].contains { meets(other.moved($0, 0)) }
    }
}
