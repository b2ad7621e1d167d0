import HTTPServer
import MapService
import Synchronization

/// Caches the documents about the layers of one configuration, with their entity tags. Documents contain absolute URLs,
/// so the cache stores a document for each of the last base URLs. Any client can send a new `Host`, so a new base URL
/// must be cheap: it costs a copy of the text, and a compression if the text is not large. A clear of a layer discards
/// the documents.
///
/// Thread rule: any thread. Two simultaneous requests may both make a document; one of the two is cached.
final class DocumentCache: Sendable {
    /// A document for clients that accept gzip, or for other clients. Both get the same content if `compressibleBytes`
    /// does not contain its size.
    fileprivate struct Key: Hashable {
        let kind: DocumentKind
        let isCompressed: Bool
    }

    fileprivate struct Base {
        let url: String
        var documents: [Key: Document] = [:]
    }

    fileprivate struct State {
        /// The version of the layers for which everything below was made.
        var version: UInt64
        /// The templates, the oldest first.
        var templates: [(kind: DocumentKind, template: DocumentTemplate)] = []
        var templateBytes = 0
        /// Maximum bytes of templates.
        var mostTemplateBytes = DocumentCache.mostBytes
        /// The documents by base URL, the least recently used first.
        var bases: [Base] = []
        /// Bytes of the documents of all bases.
        var bytes = 0
    }

    fileprivate static let mostBases = 16
    /// Maximum bytes of documents. Above this, the least recently used bases are removed. If one base alone is too
    /// large, only its newest document stays. Templates have the same limit, plus an amount for each layer, because
    /// some templates contain a part for each layer.
    fileprivate static let mostBytes = 8 << 20
    private static let mostBytesOfLayer = 32 << 10
    /// Sizes of documents that are compressed. Compression of smaller documents saves little. Compression of larger
    /// ones would block a reactor for each invented `Host`.
    private static let compressibleBytes = 1_024...(1 << 18)

    private let layers: LayerTable
    private let state: Mutex<State>

    init(_ layers: LayerTable) {
        self.layers = layers
        state = Mutex(State(version: 0))
    }

    /// Returns the document for a client that uses the base URL `base`.
    func answer(to request: Request, _ kind: DocumentKind, base: String) -> Response {
        let takesGzip = AcceptField(request, "accept-encoding").takesGzip
        return document(kind, base: base, takesGzip: takesGzip).answer(to: request)
    }

    private func document(_ kind: DocumentKind, base: String, takesGzip: Bool) -> Document {
        // Reads the version first: a document that is made during a clear counts as a document from before the clear.
        let version = version
        let key = Key(kind: kind, isCompressed: takesGzip)
        let (known, template) = state.withLock { $0.find(key, base, version) }
        if let known { return known }
        let made = template ?? DocumentTemplate { kind.content(of: layers, base: $0) }
        var body = made.filled(with: kind.escaped(base))
        var isCompressed = false
        if takesGzip, Self.compressibleBytes.contains(body.count), let compressed = Gzip.compressed(body, .usual) {
            (body, isCompressed) = (compressed, true)
        }
        let document = kind.document(body, of: layers, isCompressed: isCompressed)
        state.withLock {
            $0.mostTemplateBytes = Self.mostBytes + layers.layers.count * Self.mostBytesOfLayer
            $0.keep(document, made, key, base: base, made: version)
        }
        return document
    }

    /// A number that changes with each clear of a layer, which can change the layer's extent. Generations only grow, so
    /// the sum changes.
    private var version: UInt64 {
        layers.layers.reduce(1) { $0 &+ UInt64($1.source.generation.current) }
    }
}

extension DocumentCache.State {
    fileprivate mutating func find(
        _ key: DocumentCache.Key, _ base: String, _ current: UInt64
    ) -> (Document?, DocumentTemplate?) {
        if version != current { self = DocumentCache.State(version: current) }
        guard let index = bases.lastIndex(where: { $0.url == base }) else { return (nil, template(key.kind)) }
        if index != bases.count - 1 { bases.append(bases.remove(at: index)) }
        return (bases[bases.count - 1].documents[key], template(key.kind))
    }

    private func template(_ kind: DocumentKind) -> DocumentTemplate? {
        templates.first { $0.kind == kind }?.template
    }

    fileprivate mutating func keep(
        _ document: Document, _ template: DocumentTemplate, _ key: DocumentCache.Key, base: String, made: UInt64
    ) {
        guard version == made else { return }
        keep(template, key.kind)
        let index = bases.lastIndex { $0.url == base }
        var entry = index.map { bases.remove(at: $0) } ?? DocumentCache.Base(url: base)
        bytes += document.size - (entry.documents.updateValue(document, forKey: key)?.size ?? 0)
        while bases.count >= DocumentCache.mostBases || bytes > DocumentCache.mostBytes && !bases.isEmpty {
            bytes -= bases.removeFirst().documents.values.reduce(0) { $0 + $1.size }
        }
        if bytes > DocumentCache.mostBytes { (entry.documents, bytes) = ([key: document], document.size) }
        bases.append(entry)
    }

    private mutating func keep(_ template: DocumentTemplate, _ kind: DocumentKind) {
        guard self.template(kind) == nil else { return }
        while templateBytes + template.size > mostTemplateBytes, !templates.isEmpty {
            templateBytes -= templates.removeFirst().template.size
        }
        templates.append((kind, template))
        templateBytes += template.size
    }
}
