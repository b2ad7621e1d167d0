import Bytes
import Foundation
import Raster

/// Examines a directory of tiles `{z}/{x}/{y}.png`. Finds out the zooms, the area and the size of the tiles, and
/// whether rows are counted from the south.
struct TileDirectory {
    private let path: String
    /// The suffix of the files, without the dot.
    private let suffix: String
    /// True if each tile seems to have a file for dense screens too.
    private let hasRetina: Bool
    private let levels: [Level]
    private let sizes: Set<Int>
    private let description: TileSetDescription

    /// One zoom with its columns and rows. They are nil if there were too many files to look at.
    private struct Level {
        let zoom: Int
        var columns: ClosedRange<Int>?
        var rows: ClosedRange<Int>?
    }

    /// Maximum number of file names to read, and maximum number of tiles to open.
    private static let (mostNames, mostSamples) = (500_000, 8)

    init(at path: String) throws(CommandError) {
        guard !path.contains("{"), !path.contains("}") else {
            throw .data("\(FoundSource.shown(path)): a template treats braces as a placeholder; rename the directory")
        }
        self.path = path
        var look = Look(path: path)
        levels = look.levels()
        guard !levels.isEmpty, let suffix = look.suffix else {
            throw .data(
                "\(FoundSource.shown(path)): expected tiles as {z}/{x}/{y}\(ImageForm.usualSuffixes) below "
                    + "it, found none"
            )
        }
        self.suffix = suffix
        (hasRetina, sizes) = (look.hasRetina, look.sizes)
        description = TileSetDescription(in: path)
    }

    /// Searches the directory for tiles, with a limited number of names and files, and stores the results.
    private struct Look {
        let path: String
        private var namesLeft = TileDirectory.mostNames
        private var samplesLeft = TileDirectory.mostSamples
        private(set) var suffix: String?
        private(set) var sizes: Set<Int> = []
        private var (plain, retina) = (0, 0)

        /// True if there is at least one file for dense screens, and not fewer of them than tiles. If one is missing, a
        /// template with `{r}` would lack a tile.
        var hasRetina: Bool { retina > 0 && retina >= plain }

        init(path: String) {
            self.path = path
        }

        mutating func levels() -> [Level] {
            numbers(in: path, below: 31).sorted().compactMap { level($0) }
        }

        private mutating func level(_ zoom: Int) -> Level? {
            // After the limit, the directory's name alone shows that the zoom exists.
            guard namesLeft > 0 else { return suffix == nil ? nil : Level(zoom: zoom) }
            let columns = numbers(in: "\(path)/\(zoom)", below: 1 << zoom).sorted()
            var level = Level(zoom: zoom)
            for column in columns {
                for row in rows(of: "\(path)/\(zoom)/\(column)", below: 1 << zoom) {
                    level.rows = level.rows.map { min($0.lowerBound, row)...max($0.upperBound, row) } ?? row...row
                    level.columns = (level.columns?.lowerBound ?? column)...column
                }
                // One file is enough to know that the zoom has tiles.
                guard namesLeft > 0 else {
                    defer { (level.columns, level.rows) = (nil, nil) }
                    return level.rows == nil && suffix == nil ? nil : Level(zoom: zoom)
                }
            }
            return level.rows == nil ? nil : level
        }

        /// Returns the names in `directory` that are numbers without leading zeros, as in URLs.
        private mutating func numbers(in directory: String, below limit: Int) -> [Int] {
            names(in: directory).compactMap { Self.number($0[...], below: limit) }
        }

        private mutating func rows(of directory: String, below limit: Int) -> [Int] {
            names(in: directory).compactMap { name in
                guard let dot = name.lastIndex(of: "."),
                    ImageForm.suffixes.contains(String(name[name.index(after: dot)...]))
                else { return nil }
                let stem = name[..<dot]
                if stem.hasSuffix("@2x") {
                    if Self.number(stem.dropLast(3), below: limit) != nil { retina += 1 }
                    return nil
                }
                guard let row = Self.number(stem, below: limit) else { return nil }
                let found = String(name[name.index(after: dot)...])
                // Takes only files with the first suffix that was found, because a template has one suffix.
                guard suffix == nil || suffix == found else { return nil }
                suffix = found
                plain += 1
                sample("\(directory)/\(name)")
                return row
            }
        }

        private static func number(_ text: Substring, below limit: Int) -> Int? {
            guard let number = Int(text), String(number) == text, (0..<limit).contains(number) else { return nil }
            return number
        }

        private mutating func names(in directory: String) -> [String] {
            guard namesLeft > 0, let stream = opendir(directory) else { return [] }
            defer { closedir(stream) }
            var names: [String] = []
            while namesLeft > 0, let entry = readdir(stream) {
                namesLeft -= 1
                let name = withUnsafeBytes(of: entry.pointee.d_name) { bytes in
                    String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
                }
                if !name.hasPrefix(".") { names.append(name) }
            }
            return names
        }

        private mutating func sample(_ file: String) {
            guard samplesLeft > 0 else { return }
            samplesLeft -= 1
            // Skips a file that is no square image.
            guard let data = contents(of: file, limit: 4 << 20),
                let header = try? ImageHeader(parsing: SharedBytes(data)), header.width == header.height
            else { return }
            sizes.insert(header.width)
        }
    }

    // MARK: Results

    var source: FoundSource {
        let absolute = absolutePath(path)
        var source = FoundSource(
            .url("file:\(absolute)/{z}/{x}/{y}\(hasRetina ? "{r}" : "").\(suffix)"),
            called: description.name ?? URL(fileURLWithPath: absolute).lastPathComponent)
        (source.name, source.attribution) = (description.name, description.attribution)
        let zooms = levels.map(\.zoom)
        source.zooms = (zooms.first ?? 0)...(zooms.last ?? 0)
        if let size = sizes.first, sizes.count == 1, size != 256, (64...2_048).contains(size) { source.tileSize = size }
        if sizes.count > 1 {
            let all = sizes.sorted().map(String.init).joined(separator: ", ")
            source.notes.append(
                "The tiles have several sizes, such as \(all) pixels; the server scales them to tileSize")
        }
        let gaps = ((zooms.first ?? 0)...(zooms.last ?? 0)).filter { !zooms.contains($0) }
        if !gaps.isEmpty {
            source.notes.append(
                "No tiles in zoom \(gaps.map(String.init).joined(separator: ", ")); overzoom: 1 fills these zooms")
        }
        (source.isTMS, source.bounds) = place()
        if !description.tellsRows, !isSymmetric {
            source.notes.append(
                "Rows are assumed to count from the north; if the map is upside down, write scheme: tms")
        }
        return source
    }

    /// True if the extent is the same whether rows are counted from the north or from the south.
    private var isSymmetric: Bool {
        levels.allSatisfy { level in
            level.rows.map { $0.lowerBound == (1 << level.zoom) - 1 - $0.upperBound } ?? false
        }
    }

    private func place() -> (isTMS: Bool, bounds: [Double]?) {
        let (north, south) = (box(isTMS: false), box(isTMS: true))
        var isTMS = description.isTMS
        if let known = description.box, let north, let south {
            let (first, second) = (north.overlap(with: known), south.overlap(with: known))
            if first != second { isTMS = second > first }
        }
        let box = isTMS ? south : north
        return (isTMS, box.flatMap { $0.isWorld ? nil : $0.numbers })
    }

    /// Returns the box of the deepest zoom. Nil if tiles of other zooms lie outside, or not all tiles are known.
    private func box(isTMS: Bool) -> Box? {
        guard let deepest = levels.last, let columns = deepest.columns, let rows = deepest.rows else { return nil }
        for level in levels.dropLast() {
            guard let others = level.columns, let below = level.rows else { return nil }
            let shift = deepest.zoom - level.zoom
            guard others.lowerBound >= columns.lowerBound >> shift, others.upperBound <= columns.upperBound >> shift,
                below.lowerBound >= rows.lowerBound >> shift, below.upperBound <= rows.upperBound >> shift
            else { return nil }
        }
        return Box(zoom: deepest.zoom, columns: columns, rows: rows, isTMS: isTMS)
    }
}

/// An area of the map: the west, south, east and north edges in degrees.
struct Box {
    let numbers: [Double]

    init(_ numbers: [Double]) {
        self.numbers = numbers
    }

    init(zoom: Int, columns: ClosedRange<Int>, rows: ClosedRange<Int>, isTMS: Bool) {
        let count = 1 << zoom
        let (north, south) =
            isTMS
            ? (count - 1 - rows.upperBound, count - rows.lowerBound) : (rows.lowerBound, rows.upperBound + 1)
        let longitude = { (column: Int) in Double(column) / Double(count) * 360 - 180 }
        let latitude = { (row: Int) in atan(sinh(.pi * (1 - 2 * Double(row) / Double(count)))) * 180 / .pi }
        numbers = [
            longitude(columns.lowerBound), latitude(south), longitude(columns.upperBound + 1), latitude(north),
        ]
    }

    var isWorld: Bool { numbers[0] <= -180 && numbers[2] >= 180 && numbers[1] <= -85 && numbers[3] >= 85 }

    /// Returns the common area of both boxes in square degrees.
    func overlap(with other: Box) -> Double {
        let width = min(numbers[2], other.numbers[2]) - max(numbers[0], other.numbers[0])
        let height = min(numbers[3], other.numbers[3]) - max(numbers[1], other.numbers[1])
        return max(width, 0) * max(height, 0)
    }
}
