import Synchronization

/// A font that the configuration names. `init` reads the file to learn which characters the font has, and then frees
/// the content. `face(_:report:)` reads the file again when a text first needs the font. Thread rule: any thread that
/// may block.
final class FontFile: Sendable {
    let location: FontLocation
    /// A hash of the file's content, `#`, and the index of the font in the file.
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

    /// Reads the font at `location`, and then frees the file's content. Throws if the font is not usable, or if the
    /// size of the file exceeds `allowance`.
    init(_ location: FontLocation, _ allowance: FontAllowance) throws(FontError) {
        let bytes = try FontBytes.read(location.path, allowance)
        let face = try FontFace(bytes, location)
        self.location = location
        identity = Self.identity(bytes, location)
        coverage = face.coverage
        isRegular = face.isRegular
    }

    /// Returns the open font. Reads the file if the font is not open yet. If the file cannot be used, calls `report`
    /// once and returns nil, and later calls return nil without a report.
    ///
    /// Reads the file under the lock, so that two threads never read the file at the same time. A thread waits for this
    /// reading at most once for each font.
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

/// A font file, and the index of a font in it. A collection (.ttc) has several fonts. Other files have one, with the
/// index 0.
package struct FontLocation: Sendable, Equatable, CustomStringConvertible {
    package let path: String
    package let index: Int

    /// Parses `path` or `path#index`. The index has at most four digits. Any other text is a path.
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
    /// The file or the directory cannot be read. The text is the reason that the system gives.
    case unreadable(String)
    /// The file is not a TrueType or OpenType font.
    case notAFont
    /// The font has bitmap pictures of its letters instead of outlines.
    case noOutlines
    /// The file has `count` fonts, and no font with the given index.
    case noSuchIndex(Int, count: Int)
    /// The file of `bytes` bytes does not fit into memory together with the other open fonts. `limit` is the maximum
    /// for all of them. Also thrown if the character sets of all fonts together have `bytes` bytes and exceed `limit`.
    case tooLarge(bytes: Int, limit: Int)
    /// The content of the file changed after the start of the server.
    case changed
    /// The directory has no usable font.
    case emptyDirectory
    /// There are more than `most` fonts.
    case tooMany(most: Int)

    package var description: String {
        switch self {
        case .unreadable(let reason): reason
        case .notAFont: "the file is not a TrueType or OpenType font"
        case .noOutlines:
            "the font has pictures of its letters and no outlines; use a font with outlines, such as Noto Sans"
        case .noSuchIndex(_, 1): "the file has one font; leave out the #"
        case .noSuchIndex(let index, let count): "the file has no font #\(index), only #0 to #\(count - 1)"
        case .tooLarge(let bytes, let limit):
            "the file has \(bytes >> 10) KiB; all fonts in use can have \(limit >> 10) KiB together; remove a font "
                + "or use a smaller one"
        case .changed:
            "the file changed after the server started; restart the server to use this font"
        case .emptyDirectory:
            "the directory itself has no font with outlines (.ttf, .otf, .ttc or .otc); folders in it are not read"
        case .tooMany(let most): "the list and its directories have more than \(most) fonts; name fewer"
        }
    }
}
