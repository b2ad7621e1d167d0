import Bytes
import MapService

extension DocumentCache.Kind {
    /// The document itself. Depends on nothing but the layers, their generations and `base`.
    func content(of table: LayerTable, base: String) -> SharedBytes {
        switch self {
        case .layers: JSONBody.bytes(table.layers.map { LayerDocument.summary($0, base: base) })
        case .layer(let index): JSONBody.bytes(LayerDocument.tileJSON(table.layers[index], base: base))
        }
    }

    /// `base` as it stands in the document.
    func escaped(_ base: String) -> String {
        // An array of the one text, without its brackets, quotation marks and line end.
        String(JSONBody.bytes([base]).text.dropFirst(2).dropLast(3))
    }

    /// The answers with `body`: asked about each time, since it changes when a layer is cleared.
    func document(_ body: SharedBytes) -> Document {
        Document(
            body,
            fields: [
                ("Content-Type", "application/json"),
                ("Vary", "Host, X-Forwarded-Host, X-Forwarded-Prefix, X-Forwarded-Proto"),
            ])
    }
}
