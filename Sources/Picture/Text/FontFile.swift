import Synchronization

/// A font of the configuration. The file is read to learn which characters the font has, and again when the first
/// character needs it. Thread rule: any thread that may block.
final class FontFile: Sendable {
    let location: FontLocation
    /// A hash of the file, and the index.
    let identity: String
    let coverage: ScalarSet
    /// True for an upright font of normal weight and width.
    let isRegular: Bool
    private let opened = Mutex(Opened.closed)

    private enum Opened {
        case closed
        case open(FontFace)
        case unusable
    }

    /// Reads the font at `location`, and frees the file's bytes again. `allowance` limits these bytes. Throws if the
    /// font is not usable.
    init(_ location: FontLocation, _ allowance: FontAllowance) throws(FontError) {
        let bytes = try FontBytes.read(location.path, allowance)
        let face = try FontFace(bytes, location)
        self.location = location
        identity = Self.identity(bytes, location)
        coverage = face.coverage
        isRegular = face.isRegular
    }

    /// Returns the open font. Reads the file if the font is not open yet. If the file cannot be used, calls `report`
    /// once, and returns nil from then on.
    ///
    /// Reads the file under the lock, so that two threads never read it at the same time. A thread waits for this lock
    /// at most once for each font.
    func face(_ allowance: FontAllowance, report: (FontError) -> Void) -> FontFace? {
        var failure: FontError?
        let face: FontFace? = opened.withLock { opened -> FontFace? in
            switch opened {
            case .open(let face): return face
            case .unusable: return nil
            case .closed: break
            }
            do throws(FontError) {
                let face = try read(allowance)
                opened = .open(face)
                return face
            } catch {
                opened = .unusable
                failure = error
                return nil
            }
        }
        if let failure { report(failure) }
        return face
    }

    private func read(_ allowance: FontAllowance) throws(FontError) -> FontFace {
        let bytes = try FontBytes.read(location.path, allowance)
        guard Self.identity(bytes, location) == identity else { throw .changed }
        return try FontFace(bytes, location)
    }

    private static func identity(_ bytes: FontBytes, _ location: FontLocation) -> String {
        "\(bytes.hash)#\(location.index)"
    }
}

/// The place of a font: a file, and the number of the font in a collection.
package struct FontLocation: Sendable, Equatable, CustomStringConvertible {
    package let path: String
    package let index: Int

    /// Reads `path` or `path#index`.
    package init(_ text: String) {
        if let mark = text.utf8.lastIndex(of: UInt8(ascii: "#")), mark != text.startIndex {
            let digits = text[text.index(after: mark)...]
            if !digits.isEmpty, digits.utf8.count <= 4, digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }) {
                (path, index) = (String(text[..<mark]), Int(digits) ?? 0)
                return
            }
        }
        (path, index) = (text, 0)
    }

    package var description: String { index == 0 ? path : "\(path)#\(index)" }
}

/// The reason why a font cannot be used.
package enum FontError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The file cannot be read. The text is the system's reason.
    case unreadable(String)
    /// The file is no font in TrueType or OpenType.
    case notAFont
    /// The font has pictures in place of outlines.
    case noOutlines
    /// The file has `count` fonts, and none with this index.
    case noSuchIndex(Int, count: Int)
    /// The file with `bytes` bytes does not fit beside the other open fonts. `limit` is the memory for all fonts.
    case tooLarge(bytes: Int, limit: Int)
    /// The file changed after the start.
    case changed
    /// The directory has no usable font.
    case emptyDirectory
    /// There are more than `most` fonts.
    case tooMany(most: Int)

    package var description: String {
        switch self {
        case .unreadable(let reason): reason
        case .notAFont: "expected a font in TrueType or OpenType"
        case .noOutlines: "the font has no outlines, only pictures of its letters; use a font with outlines"
        case .noSuchIndex(_, 1): "the file has one font; leave out the #"
        case .noSuchIndex(let index, let count): "the file has no font #\(index), only #0 to #\(count - 1)"
        case .tooLarge(let bytes, let limit):
            "the file has \(bytes >> 10) KiB; all fonts in use can have \(limit >> 10) KiB together; remove a font "
                + "or use a smaller one"
        case .changed: "the file changed after the start; the server uses this font again after a restart"
        case .emptyDirectory: "the directory has no font (.ttf, .otf, .ttc, .otc) with outlines"
        case .tooMany(let most): "more than \(most) fonts"
        }
    }
}
