import Bytes
import CViewer
import HTTPServer

/// The files of the viewer, the web page that shows the maps. The files are part of the program. web/README.md
/// describes the page.
///
/// A file has the same name in every version of the program, so clients revalidate the files before each use. Otherwise
/// a new page could run with a cached script of an earlier version.
struct ViewerFiles: Sendable {
    /// The files, compressed at the first use of this value.
    static let all = ViewerFiles()

    /// The page for all layers and maps. Its links are relative, and its script finds the layer from the address.
    let page: ViewerFile
    private let assets: [String: ViewerFile]
    /// Pages for unknown paths: the first for a path with one segment, the next for two segments, and so on.
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

    /// Returns the file with the path `segments` below `/assets`. Nil if there is none.
    func asset(_ segments: [UnsafeRawBufferPointer]) -> ViewerFile? {
        assets[segments.map { String(decoding: $0, as: UTF8.self) }.joined(separator: "/")]
    }

    /// Returns a page that reports that `path` does not exist. Nil if the path has too many segments for the page's
    /// links.
    func missing(for path: UnsafeRawBufferPointer) -> Response? {
        let depth = path.count { $0 == ASCII.slash } - 1
        return missing.indices.contains(depth) ? missing[depth] : nil
    }
}

/// A file of the viewer, with its responses in plain and in compressed form.
struct ViewerFile: Sendable {
    /// The type of a file, which decides its `Content-Type`.
    enum Kind: String {
        case html, js, css, svg

        /// Returns the kind for the suffix of a path.
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
    /// Nil if memory was not enough for the compression.
    private let compressed: Document?

    /// Makes a file. `vary` names the request headers that affect the response.
    init(_ content: SharedBytes, _ kind: Kind, vary: String) {
        let fields = Self.fields(kind, vary: vary)
        plain = Document(content, fields: fields)
        compressed = Gzip.compressed(content, .most).map {
            Document($0, fields: fields + [("Content-Encoding", "gzip")])
        }
    }

    /// Returns the file in a content coding that the client accepts. Each coding has its own entity tag (RFC 9110
    /// 8.8.3.3).
    func answer(to request: Request) -> Response {
        guard let compressed, AcceptField(request, "accept-encoding").takesGzip else {
            return plain.answer(to: request)
        }
        return compressed.answer(to: request)
    }

    /// Headers of every response of the viewer. The page loads nothing from other origins, and no other page can show
    /// it in a frame.
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
