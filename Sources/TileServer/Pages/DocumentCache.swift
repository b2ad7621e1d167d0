import Bytes
import MapService
import Synchronization

/// The documents about a table of layers: made once for each state of the layers, and kept with their entity tags for the base
/// URLs that were asked for last. A new base URL costs one copy: any client can send any `Host`.
///
/// Thread rule: any thread. Two requests at once may both make a document; one of the two is kept.
final class DocumentCache: Sendable {
    enum Kind: Hashable, Sendable {
        case layers
        /// The TileJSON of the layer at this index of the table.
        case layer(Int)
    }

    fileprivate struct Base {
        let url: String
        var documents: [Kind: Document] = [:]
    }

    fileprivate struct State {
        /// The layers' version when everything below was made.
        var version: UInt64
        var templates: [Kind: DocumentTemplate] = [:]
        /// The least recently used first.
        var bases: [Base] = []
        /// Of the documents of all bases.
        var bytes = 0
    }

    fileprivate static let mostBases = 16
    /// Beyond this, the least recently used bases are removed, all but one.
    fileprivate static let mostBytes = 8 << 20

    private let layers: LayerTable
    private let state: Mutex<State>

    init(_ layers: LayerTable) {
        self.layers = layers
        state = Mutex(State(version: 0))
    }

    /// The document for clients that see the server at `base`.
    func document(_ kind: Kind, base: String) -> Document {
        // Read first: a document that is made while a layer is cleared counts as one from before.
        let version = version
        let (known, template) = state.withLock { $0.find(kind, base, version) }
        if let known { return known }
        let made = template ?? DocumentTemplate { kind.content(of: layers, base: $0) }
        let document = kind.document(made.filled(with: kind.escaped(base)))
        state.withLock { $0.keep(document, made, kind, base, version) }
        return document
    }

    /// Another number after each clear of a layer, which may have another extent then: generations only grow, each by one.
    private var version: UInt64 {
        layers.layers.reduce(1) { $0 &+ UInt64($1.source.generation.current) }
    }
}

extension DocumentCache.State {
    fileprivate mutating func find(
        _ kind: DocumentCache.Kind, _ base: String, _ current: UInt64
    ) -> (Document?, DocumentTemplate?) {
        if version != current { self = DocumentCache.State(version: current) }
        guard let index = bases.lastIndex(where: { $0.url == base }) else { return (nil, templates[kind]) }
        if index != bases.count - 1 { bases.append(bases.remove(at: index)) }
        return (bases[bases.count - 1].documents[kind], templates[kind])
    }

    fileprivate mutating func keep(
        _ document: Document, _ template: DocumentTemplate, _ kind: DocumentCache.Kind, _ base: String,
        _ made: UInt64
    ) {
        guard version == made else { return }
        templates[kind] = template
        let index = bases.lastIndex { $0.url == base }
        var entry = index.map { bases.remove(at: $0) } ?? DocumentCache.Base(url: base)
        bytes += document.size - (entry.documents.updateValue(document, forKey: kind)?.size ?? 0)
        bases.append(entry)
        while bases.count > DocumentCache.mostBases || bytes > DocumentCache.mostBytes && bases.count > 1 {
            bytes -= bases.removeFirst().documents.values.reduce(0) { $0 + $1.size }
        }
    }
}
