import Bytes
import CViewer
import HTTPServer

/// The files of the viewer, which are part of the program (web/README.md says what the page expects of them).
///
/// The names of files do not change when they do, so clients ask about them before each use: a page of one version never runs
/// with a script of another.
struct ViewerFiles: Sendable {
    /// Made, and compressed, when a page is asked for first.
    static let all = ViewerFiles()

    /// The page, for every layer and map alike: its addresses are relative, its script knows what it is about.
    let page: ViewerFile
    private let assets: [String: ViewerFile]
    /// For addresses of one segment, of two, and so on.
    private let missing: [Response]

    private init() {
        var files = [String: SharedBytes]()
        for index in 0..<cviewer_file_count() {
            let file = cviewer_file_at(index)
            files[String(cString: file.path)] = SharedBytes(
                UnsafeRawBufferPointer(start: file.bytes, count: file.count))
        }
        page = ViewerFile(files.removeValue(forKey: "index.html") ?? .empty, .html, vary: "Accept, Accept-Encoding")
        let text = (files.removeValue(forKey: "missing.html") ?? .empty).text
        missing = (0..<PathSegments.most).map { depth in
            let root = depth == 0 ? "./" : String(repeating: "../", count: depth)
            return Response(
                .notFound, fields: FieldLines.make(ViewerFile.fields(.html, vary: "Accept")), common: CommonFields.open,
                caching: Caching(.noStore), body: SharedBytes(text.replacing("{root}", with: root)))
        }
        assets = files.reduce(into: [:]) { assets, file in
            guard let kind = ViewerFile.Kind(path: file.key) else { return }
            assets[file.key] = ViewerFile(file.value, kind, vary: "Accept-Encoding")
        }
    }

    /// The file of the path `segments` below `/assets`; nil where there is none.
    func asset(_ segments: [UnsafeRawBufferPointer]) -> ViewerFile? {
        assets[segments.map { String(decoding: $0, as: UTF8.self) }.joined(separator: "/")]
    }

    /// A page that says that there is nothing at `path`; nil where that is too deep for its links.
    func missing(for path: UnsafeRawBufferPointer) -> Response? {
        let depth = path.count { $0 == ASCII.slash } - 1
        return missing.indices.contains(depth) ? missing[depth] : nil
    }
}

/// A file of the viewer, as it is and compressed.
struct ViewerFile: Sendable {
    /// What a file is.
    enum Kind: String {
        case html, js, css, svg

        /// By the suffix of a file's path.
        init?(path: String) {
            guard let dot = path.lastIndex(of: ".") else { return nil }
            self.init(rawValue: String(path[path.index(after: dot)...]))
        }

        fileprivate var mediaType: String {
            switch self {
            case .html: "text/html; charset=utf-8"
            case .js: "text/javascript; charset=utf-8"
            case .css: "text/css; charset=utf-8"
            case .svg: "image/svg+xml"
            }
        }
    }

    private let plain: Document
    /// Nil where there was no memory to make it.
    private let compressed: Document?

    /// `vary`: the fields that decide what a client gets.
    init(_ content: SharedBytes, _ kind: Kind, vary: String) {
        let fields = Self.fields(kind, vary: vary)
        plain = Document(content, fields: fields)
        compressed = Gzip.compressed(content, .most).map {
            Document($0, fields: fields + [("Content-Encoding", "gzip")])
        }
    }

    /// The file in the coding that the client takes, each with an entity tag of its own (RFC 9110 8.8.3.3).
    func answer(to request: Request) -> Response {
        guard let compressed, AcceptField(request, "accept-encoding").takesGzip else {
            return plain.answer(to: request)
        }
        return compressed.answer(to: request)
    }

    /// What stands in every answer of the viewer: the page loads nothing from elsewhere, and is in no frame of another.
    static func fields(_ kind: Kind, vary: String) -> [(name: String, value: String)] {
        let policy = [
            "default-src 'none'", "script-src 'self'", "style-src 'self'", "img-src 'self' blob:", "connect-src 'self'",
            "worker-src 'self'", "base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'",
        ]
        return [
            ("Content-Type", kind.mediaType), ("Vary", vary),
            ("Content-Security-Policy", policy.joined(separator: "; ")), ("Referrer-Policy", "no-referrer"),
        ]
    }
}
