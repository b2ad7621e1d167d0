import ArgumentParser
import Configuration
import EventLog
import Files
import Foundation
import Logging
import Raster
import TileServer

/// The command `tileserver render`. It draws an image of a map, or an animated flight over the map, without a server.
struct Render: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Draw a map, or a flight of the camera over it, into a PNG file.")

    @Argument(help: "Map or layer to draw.")
    var map: String

    // Western places begin with a minus sign, which must not begin an option.
    @Option(
        parsing: .unconditional,
        help: "lon,lat,zoom[@bearing[,tilt]] or lat=…,lng=…,zoom=…[,bearing=…][,tilt=…] (default: the map's).")
    var camera: String?

    @Option(parsing: .unconditional, help: "west,south,east,north: box to fit into the image.")
    var bounds: String?

    @Option(help: "WIDTHxHEIGHT in points, optionally with @2x, @3x or @4x.")
    var size: String

    @Option(name: .shortAndLong, help: "PNG file to write; - is standard output.")
    var output: String

    @Option(help: "Colour where there are no tiles: rrggbb, rrggbbaa or transparent (default: the map's).")
    var background: String?

    @Option(help: "Layers and maps to draw, from the lowest up: world,grid:0.5 (default: the map).")
    var layers: String?

    @Option(parsing: .unconditional, help: "top,left,bottom,right: covered points at the edges (default: the map's).")
    var padding: String?

    @Option(
        parsing: .unconditionalSingleValue, help: "lon,lat[|color:#d93b30][|label:A][|scale:1.5]; can be repeated.")
    var marker: [String] = []

    @Option(
        parsing: .unconditionalSingleValue,
        help: "[stroke:…|][width:…|][fill:…|]lon,lat|lon,lat|…; can be repeated.")
    var path: [String] = []

    @Flag(name: .customLong("no-attribution"), help: "Omit the layers' attributions.")
    var omitsAttribution = false

    @Flag(name: .customLong("no-partial"), help: "Write no image if a tile is unavailable; the status is then 1.")
    var refusesPartial = false

    @Option(
        parsing: .unconditional,
        help: "End of a flight, written like --camera. The file is then an animated PNG.")
    var to: String?

    @Option(help: "Duration of the flight in seconds.")
    var duration = 1.0

    @Option(help: "Frames per second of the flight.")
    var fps = 30.0

    @Option(help: "Speed curve of the flight: linear, easeIn, easeOut or easeInOut.")
    var curve = "linear"

    @OptionGroup var options: ConfigurationOptions

    func validate() throws {
        guard camera == nil || bounds == nil else { throw ValidationError("Expected --camera or --bounds, not both.") }
        guard AnimationCurve(rawValue: curve) != nil else {
            throw ValidationError("Expected a --curve of linear, easeIn, easeOut or easeInOut.")
        }
        if let format = PictureFile(path: output).foreignFormat {
            throw ValidationError(
                "--output: expected a name that ends in .png, found \(output). render writes PNG only, no \(format)."
            )
        }
    }

    func run() async throws {
        let configuration = options.load(for: .drawing)
        // Missing tiles are not logged one by one. The last line has their number.
        LogStyle.standardError.set(.automatic, level: .error)
        var logger = Logger(label: "tileserver") { _ in LineLogHandler.standardError }
        logger.logLevel = .error
        let bar = ProgressBar()
        let drawn: RenderedMapPicture
        let picture: MapPicture
        do {
            picture = try self.picture()
            drawn = try await TileServer.render(map, picture, configuration: configuration, logger: logger) {
                bar.show($0, of: $1)
            }
            bar.clear()
        } catch let error as TileServerError {
            bar.clear()
            throw ending(error)
        }
        try PictureFile(path: output).write(drawn.bytes)
        let changes = Self.changes(of: drawn.camera, from: picture.subject)
        if !changes.isEmpty { complain("tileserver: the map limits the camera: \(changes)") }
        if drawn.missing > 0 { complain("tileserver: \(drawn.missing) tiles are unavailable; the image is incomplete") }
    }

    private func ending(_ error: TileServerError) -> CommandError {
        switch error {
        case .unknownLayer: .usage(error)
        case .invalidPicture(let parameter, let reason): .usage("--\(option(of: parameter)): \(reason)")
        case .noPicture: CommandError(error)
        // `serve` has this exit status too.
        default: CommandError(error, status: EX_OSERR)
        }
    }

    /// Returns the numbers of the wanted camera that the map has changed, such as `zoom 21 instead of 50`. Empty if the
    /// map has changed none.
    private static func changes(of camera: ResolvedCamera, from subject: MapPicture.Subject) -> String {
        guard case .camera(let wanted) = subject else { return "" }
        return camera.clamped.map { field in
            let (found, asked) = (camera.position.value(of: field), wanted.value(of: field))
            return "\(field.rawValue) \(found.text(decimals: 6)) instead of \(asked.text(decimals: 6))"
        }.joined(separator: ", ")
    }

    /// Returns the option for the URL parameter `parameter`.
    private func option(of parameter: String) -> String {
        switch parameter {
        case "camera" where bounds != nil: "bounds"
        case "view.width", "view.height": "size"
        default: parameter
        }
    }

    private func picture() throws -> MapPicture {
        var parameters = ["marker": try marker.map(NamedNumbers.list), "path": try path.map(NamedNumbers.list)]
        if let background { parameters["background"] = [background] }
        if let layers { parameters["layers"] = [layers] }
        if let padding { parameters["padding"] = [padding] }
        if omitsAttribution { parameters["attribution"] = ["false"] }
        if refusesPartial { parameters["partial"] = ["false"] }
        var picture = try MapPicture(
            parsing: try camera.map { try NamedNumbers.camera($0, option: "--camera") } ?? bounds, size: size,
            parameters: parameters.filter { !$0.value.isEmpty })
        if let to {
            // `validate` has checked the curve.
            picture.flight = MapPicture.Flight(
                to: try MapPicture.Subject(parsing: try NamedNumbers.camera(to, option: "--to"), parameter: "to"),
                duration: duration, fps: fps,
                curve: AnimationCurve(rawValue: curve) ?? .linear)
        }
        return picture
    }
}

/// The output of `tileserver render`: a PNG file or standard output. Other programs never see a partly written
/// file. Standard output, a pipe or a device is written in place.
struct PictureFile {
    let path: String

    /// The format that the ending of the path names if it is not PNG, such as `jpg`. Nil for the endings `png` and
    /// `apng`, for no ending, and for endings that name no format, such as the endings of temporary files.
    var foreignFormat: String? {
        let name = path.split(separator: "/").last ?? ""
        guard let dot = name.lastIndex(of: "."), dot != name.startIndex else { return nil }
        let ending = name[name.index(after: dot)...].lowercased()
        let isForeign = Self.foreignFormats.contains(ending) || ImageForm(suffix: ending).map { $0 != .png } ?? false
        return isForeign ? ending : nil
    }

    /// Endings of formats that this server does not write.
    private static let foreignFormats: Set = [
        "avif", "bmp", "dib", "emf", "eps", "exr", "gif", "hdr", "heic", "heif", "ico", "j2k", "jfif", "jp2", "jpe",
        "jxl", "mp4", "pbm", "pdf", "pgm", "pnm", "ppm", "ps", "psd", "qoi", "svg", "svgz", "tga", "tif", "tiff",
        "webm", "wmf", "xcf",
    ]

    func write(_ bytes: SharedBytes) throws(CommandError) {
        defer { withExtendedLifetime(bytes) {} }
        do throws(FileError) {
            try OutputFile.named(path == "-" ? "/dev/stdout" : path).write(bytes.buffer)
        } catch {
            let isBroken = if case .system("write", _) = error { true } else { false }
            let place = path == "-" ? "standard output" : path
            throw CommandError("cannot write \(place): \(error)", status: isBroken ? EX_IOERR : EX_CANTCREAT)
        }
    }
}

extension CameraPosition {
    fileprivate func value(of property: CameraParameter) -> Double {
        switch property {
        case .latitude: latitude
        case .longitude: longitude
        case .bearing: bearing
        case .viewingAngle: viewingAngle
        default: zoom
        }
    }
}
