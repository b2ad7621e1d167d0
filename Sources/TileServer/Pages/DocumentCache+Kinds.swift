import Bytes
import HTTPServer
import MapService
import TileCache

extension DocumentCache.Kind {
    /// The document itself. Depends on nothing but the layers, their generations and `base`.
    func content(of table: LayerTable, base: String) -> SharedBytes {
        switch self {
        case .layers: JSONBody.bytes(table.layers.map { LayerDocument.summary($0, base: base) })
        case .layer(let index): JSONBody.bytes(LayerDocument.tileJSON(table.layers[index], base: base))
        case .page: SharedBytes(Viewer.page(table.layers, base: base))
        }
    }

    /// `base` as it stands in the document.
    func escaped(_ base: String) -> String {
        switch self {
        case .page: return Viewer.escaped(base)
        case .layers, .layer:
            // An array of the one text, without its brackets, quotation marks and line end.
            return String(JSONBody.bytes([base]).text.dropFirst(2).dropLast(3))
        }
    }

    /// The answers with `body`: kept by clients, and asked about each time, since it changes when a layer is cleared.
    func document(_ body: SharedBytes) -> DocumentCache.Document {
        let etag = ContentHash(of: body).entityTag
        let fields = FieldLines.make(
            [("ETag", etag)] + description + [("Vary", "Host, X-Forwarded-Host, X-Forwarded-Prefix, X-Forwarded-Proto")]
        )
        let whole = Response(
            .ok, fields: fields, common: CommonFields.open, caching: Caching(.noCache), body: body)
        var unchanged = whole
        (unchanged.status, unchanged.body) = (.notModified, .empty)
        return DocumentCache.Document(etag: SharedBytes(etag), whole: whole, unchanged: unchanged)
    }

    private var description: [(name: String, value: String)] {
        guard case .page = self else { return [("Content-Type", "application/json")] }
        return [
            ("Content-Type", "text/html; charset=utf-8"),
            (
                "Content-Security-Policy",
                "default-src 'self'; img-src 'self' data:; object-src 'none'; base-uri 'none'; frame-ancestors 'self'"
            ),
            ("Referrer-Policy", "no-referrer"),
        ]
    }
}
