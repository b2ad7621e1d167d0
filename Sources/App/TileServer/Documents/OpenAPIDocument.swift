import CViewer
import Foundation

/// All routes as OpenAPI 3.0.3 describes them: `openapi.json` of CViewer, in which `{base}`, `{version}` and `{layerID}` stand
/// for values of the running server.
enum OpenAPIDocument {
    typealias Object = [String: Any]

    /// `layers`: the ids of layers and maps.
    static func json(layers: [String], base: String) -> Object {
        let layerID: Object =
            layers.isEmpty
            ? ["type": "string", "pattern": "^[a-z0-9][a-z0-9_-]{0,63}$"] : ["type": "string", "enum": layers]
        let values: Object = ["{base}": base, "{version}": TileServer.version, "{layerID}": layerID]
        return file.mapValues { filled($0, values) }
    }

    /// The document as it is kept.
    static var file: Object {
        let file = cviewer_openapi()
        let content = Data(bytes: file.bytes, count: file.count)
        // A test reads the file.
        return (try? JSONSerialization.jsonObject(with: content) as? Object) ?? [:]
    }

    /// `value`, with the values of `values` for the texts that are their names.
    private static func filled(_ value: Any, _ values: Object) -> Any {
        switch value {
        case let object as Object: object.mapValues { filled($0, values) }
        case let array as [Any]: array.map { filled($0, values) }
        case let text as String: values[text] ?? text
        default: value
        }
    }
}
