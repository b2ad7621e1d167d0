import Files
import Foundation
import Raster
import TileServer

/// The PNG file of an image, which no other program sees half written, or standard output.
struct PictureFile {
    private let path: String

    init(_ path: String) {
        self.path = path
    }

    /// The format of another kind of image or document that the path's ending names, such as `jpg`. Nil for the endings `png`
    /// and `apng`, for no ending, and for endings that name no format, such as those of temporary files.
    var foreignFormat: String? {
        let name = path.split(separator: "/").last ?? ""
        guard let dot = name.lastIndex(of: "."), dot != name.startIndex else { return nil }
        let ending = name[name.index(after: dot)...].lowercased()
        let isForeign = Self.foreignFormats.contains(ending) || ImageForm(suffix: ending).map { $0 != .png } ?? false
        return isForeign ? ending : nil
    }

    /// Beside the formats that are written here, of which this file is always PNG.
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
