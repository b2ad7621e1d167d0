import Bytes
import Configuration
import Files
import Foundation
import MapService
import Runtime
import TileSources
import Tiles

/// A source of tiles for the first configuration, with the properties that `tileserver init` can find out.
struct FoundSource {
    enum Kind {
        /// A URL template with the scheme http, https or file.
        case url(String)
        case mbtiles(path: String)
        /// A PMTiles archive: a path, a URL, or `s3://bucket/key`.
        case pmtiles(String)
        case geojson(path: String)
    }

    let kind: Kind
    /// The layer's name in the URL.
    var id: String
    var name: String?
    var description: String?
    var attribution: String?
    var userAgent: String?
    var zooms: ClosedRange<Int>?
    /// West, south, east and north in degrees.
    var bounds: [Double]?
    /// The edge of a tile in pixels. Nil: 512 for GeoJSON, otherwise the value in the file or 256.
    var tileSize: Int?
    /// The values of `{s}`.
    var subdomains: [String] = []
    /// True if rows are counted from the south.
    var isTMS = false
    /// True if a person wrote the URL, so that its variables such as `${KEY}` remain variables. The document of another
    /// server must not read variables of this machine.
    var hasVariables = false
    /// Notes for readers of the configuration, one line each.
    var notes: [String] = []

    /// `called`: the text from which the layer's id is made.
    init(_ kind: Kind, called name: String) {
        self.kind = kind
        id = Self.id(of: name)
    }

    /// Finds out the kind and the properties of `source`, which is a URL, a file or a directory.
    init(_ source: String) async throws(CommandError) {
        if source.hasPrefix("http://") || source.hasPrefix("https://") {
            if Self.isArchive(source) {
                self.init(.pmtiles(source), called: Self.fileName(source))
                return
            }
            guard source.contains("{") else {
                self = try await TileJSON.fetched(from: source)
                return
            }
            self.init(.url(source), called: Self.host(of: source))
            hasVariables = true
        } else if source.hasPrefix("s3://") {
            self.init(.pmtiles(source), called: Self.fileName(source))
        } else if source.hasPrefix("file:") {
            self.init(.url("file:" + Self.absolute(String(source.dropFirst(5)))), called: "tiles")
        } else {
            self = try Self.local(source)
        }
    }

    private static func local(_ path: String) throws(CommandError) -> FoundSource {
        // `tiles/{z}/{x}/{y}.png` stands for the directory.
        let directory = path.range(of: "/{z}").map { String(path[..<$0.lowerBound]) } ?? path
        var status = stat()
        guard stat(directory, &status) == 0 else {
            throw CommandError(
                "\(shown(path)): \(String(cString: strerror(errno))); expected a URL with {z}, {x} and {y}, the "
                    + "URL of a TileJSON, an MBTiles, PMTiles or GeoJSON file, or a directory of tiles",
                status: EX_NOINPUT)
        }
        if status.st_mode & S_IFMT == S_IFDIR { return try TileDirectory(at: directory).source }
        let file = URL(fileURLWithPath: path)
        let called = file.deletingPathExtension().lastPathComponent
        let beginning = try beginning(of: path)
        if beginning.starts(with: Array("SQLite format 3".utf8)) {
            return try mbtiles(path, called: called)
        }
        if beginning.starts(with: Array("PMTiles".utf8)) { return FoundSource(.pmtiles(path), called: called) }
        guard beginning.first(where: { !" \t\r\n\u{FEFF}".utf8.contains($0) }) == UInt8(ascii: "{") else {
            throw .data(
                "\(shown(path)): expected an MBTiles, PMTiles or GeoJSON file, or a TileJSON, found another file")
        }
        if let document = TileJSON.local(path, called: called) { return try document.source(of: shown(path)) }
        return FoundSource(.geojson(path: path), called: called)
    }

    /// Reports whether the path of a URL ends in `.pmtiles`.
    private static func isArchive(_ url: String) -> Bool {
        url.prefix { $0 != "?" && $0 != "#" }.lowercased().hasSuffix(".pmtiles")
    }

    /// Returns the last part of a URL's path without its ending.
    private static func fileName(_ url: String) -> String {
        let name = url.prefix { $0 != "?" && $0 != "#" }.split(separator: "/").last ?? "tiles"
        return String(name.lowercased().hasSuffix(".pmtiles") ? name.dropLast(8) : name)
    }

    private static func mbtiles(_ path: String, called: String) throws(CommandError) -> FoundSource {
        var source = FoundSource(.mbtiles(path: path), called: called)
        do {
            let layer = try MBTilesLayer(path: path, queue: WorkQueue(label: "init", width: 1, depth: 1))
            if let found = layer.describe() { source.notes = ["The file says: \(found.wording)"] }
        } catch {
            throw .data("\(shown(path)): \(error)")
        }
        return source
    }

    private static func beginning(of path: String) throws(CommandError) -> [UInt8] {
        do throws(FileError) {
            let file = try RegularFile(path)
            return try file.prefix(512)
        } catch {
            throw CommandError("\(shown(path)) cannot be read: \(error)", status: EX_NOINPUT)
        }
    }

    /// Returns a path with placeholders as an absolute path. A relative path would be relative to the configuration's
    /// directory.
    private static func absolute(_ template: String) -> String {
        let fixed = template.prefix { $0 != "{" }
        guard !template.hasPrefix("/"), let slash = fixed.lastIndex(of: "/") else {
            return template.hasPrefix("/") ? template : absolutePath(".") + "/" + template
        }
        return absolutePath(String(template[..<slash])) + template[slash...]
    }

    /// Returns the first 1,024 characters of the text in one line, without control characters.
    static func shown(_ text: String) -> String { text.shown(atMost: 1_024) }

    static func host(of url: String) -> String {
        let authority = url.drop { $0 != "/" }.drop { $0 == "/" }.prefix { $0 != "/" && $0 != "?" && $0 != "#" }
        let host = (authority.split(separator: "@").last ?? "").prefix { $0 != ":" }
        // Takes the second label from the end, such as `example` of `tile.example.org`.
        let labels = host.split(separator: ".")
        let isAddress = labels.last.map { $0.allSatisfy(\.isNumber) } ?? true
        return labels.count > 1 && !isAddress ? String(labels[labels.count - 2]) : "tiles"
    }

    /// Makes a layer id from the first 64 bytes of `name`: letters and digits stay, in lower case, and a hyphen
    /// replaces the other characters between two of them. Returns `tiles` if no valid id results.
    static func id(of name: String) -> String {
        var id = ""
        for byte in name.lowercased().utf8.prefix(64) {
            if ASCII.isLetterOrDigit(byte) {
                id.unicodeScalars.append(Unicode.Scalar(byte))
            } else if !id.isEmpty, id.last != "-" {
                id += "-"
            }
        }
        while id.last == "-" { id.removeLast() }
        return id.isEmpty || LayerSettings.reservedIDs.contains(id) ? "tiles" : id
    }

    /// A line about the source.
    var summary: String {
        let kind =
            switch kind {
            case .url(let template): FoundSource.shown(template)
            case .mbtiles(let path): "the MBTiles file \(FoundSource.shown(path))"
            case .pmtiles(let location): "the PMTiles archive \(FoundSource.shown(location))"
            case .geojson(let path): "the GeoJSON file \(FoundSource.shown(path))"
            }
        let zooms = zooms.map {
            $0.count == 1 ? ", zoom \($0.lowerBound)" : ", zooms \($0.lowerBound) to \($0.upperBound)"
        }
        return kind + (zooms ?? "") + (tileSize.map { ", \($0) pixels" } ?? "") + (isTMS ? ", rows from the south" : "")
    }
}

extension SourceDescription {
    /// A line about the description.
    fileprivate var wording: String {
        let parts = [
            name.map { "name \(FoundSource.shown($0))" },
            zooms.map { "zooms \($0.lowerBound) to \($0.upperBound)" },
            tileSize.map { "\($0) pixels" }, format.map { "\($0)" },
            bounds.map { box in
                "bounds " + [box.west, box.south, box.east, box.north].map(FoundSource.written).joined(separator: ", ")
            },
        ]
        return parts.compactMap(\.self).joined(separator: "; ")
    }
}
