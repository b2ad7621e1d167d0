import Labels
import MapGeometry
import Raster
import Synchronization

/// The names of countries, towns and seas, as labels. The labels are made at their first use and then kept. Thread
/// rule: any thread.
final class WorldLabels: Sendable {
    private let style: WorldColors
    private let made = Mutex<LabelGroup?>(nil)

    init(style: WorldColors) { self.style = style }

    /// The labels in a group. The first call takes longer, because the names must be measured.
    var group: LabelGroup {
        if let group = made.withLock({ $0 }) { return group }
        // If two threads come here at the same time, each makes a group. The groups are equal, and the first one stored
        // is kept. This only costs time.
        let new = LabelGroup(set(WorldCountry.all(language: style.language), WorldTown.all, WorldSea.all))
        return made.withLock { made in
            let group = made ?? new
            made = group
            return group
        }
    }

    /// Returns the labels of the countries, then of the towns, and last of the seas. Earlier labels take their places
    /// first.
    private func set(_ countries: [WorldCountry], _ towns: [WorldTown], _ seas: [WorldSea]) -> LabelSet {
        let language = style.language
        var styles = [LabelStyle.country(style), .largeCountry(style), .ocean(style), .sea(style)]
        var labels = countries.map { country in
            // Allows a name to be 1.3 times as wide as its country.
            Label(
                country.name, at: .on(country.place, room: 1.3 * country.width, height: 1.3 * country.height),
                language: language, style: country.isLarge ? 1 : 0, zooms: WorldCountry.zooms)
        }
        var townStyles: [LabelStyle: Int] = [:]
        for town in towns {
            let look = LabelStyle.town(style, rank: town.rank, isCapital: town.isCapital)
            let index = townStyles[look] ?? styles.count
            if index == styles.count {
                styles.append(look)
                townStyles[look] = index
            }
            let reach = look.dot?.reach ?? 0
            labels.append(
                Label(
                    town.name, at: .beside(town.place, reach: reach), style: index,
                    zooms: town.firstWholeZoom...LabelStyle.deepestZoom))
        }
        labels += seas.map { sea in
            Label(
                sea.name, at: .on(sea.place, room: .infinity), style: sea.isOcean ? 2 : 3, zooms: sea.zooms)
        }
        return LabelSet(labels, styles: styles)
    }
}

extension LabelStyle {
    fileprivate static func country(_ style: WorldColors) -> LabelStyle {
        var look = LabelStyle(sizes: [10, 10, 10, 11, 12, 14, 15], color: style.countryName, halo: style.haloColor)
        look.isShifted = true
        return look
    }

    fileprivate static func largeCountry(_ style: WorldColors) -> LabelStyle {
        var look = country(style)
        look.sizes = [10, 10, 12, 14, 16, 18, 19]
        return look
    }

    fileprivate static func ocean(_ style: WorldColors) -> LabelStyle {
        var look = sea(style)
        look.sizes = [9, 9, 9, 12, 14, 16]
        look.spacing = 0.55
        return look
    }

    fileprivate static func sea(_ style: WorldColors) -> LabelStyle {
        // A faint rim in the colour of the water is not visible on the map itself. On a darkened map, such as below the
        // layer of night, the name stays readable.
        var halo = style.water
        halo.alpha = UInt8(Int(halo.alpha) * 6 / 10)
        var look = LabelStyle(
            sizes: [11, 11, 11, 11, 11, 12, 13, 14], color: style.seaName, halo: halo, haloWidth: 1)
        look.spacing = 0.26
        return look
    }

    /// Returns the style of towns of `rank`, which is 0 for the most important towns.
    fileprivate static func town(_ style: WorldColors, rank: Int, isCapital: Bool) -> LabelStyle {
        let size: Double =
            switch rank {
            case 0: 13
            case 1: 12
            case 2, 3: 11
            default: 10
            }
        var look = LabelStyle(
            sizes: [size - 2, size - 2, size - 1, size, size, size + 1], color: style.text, halo: style.haloColor)
        look.dot = LabelDot(
            size: rank == 0 ? 5 : rank < 3 ? 4.5 : rank < 6 ? 4 : 3, color: style.place, rim: style.haloColor,
            ring: isCapital ? style.land : nil)
        look.isLandmark = isCapital
        return look
    }
}
