import CViewer
import Foundation

/// Describes the routes for clients and operators in OpenAPI 3.0.3. The template is `openapi.json` of CViewer. In the
/// template, values of the running server replace `{base}`, `{version}` and `{layerID}`.
enum OpenAPIDocument {
    typealias Object = [String: Any]

    /// Returns the document. `layers` has the ids of layers and maps.
    static func json(layers: [String], base: String) -> Object {
        let layerID: Object =
            layers.isEmpty
            ? ["type": "string", "pattern": "^[a-z0-9][a-z0-9_-]{0,63}$"] : ["type": "string", "enum": layers]
        let values: Object = ["{base}": base, "{version}": TileServer.version, "{layerID}": layerID]
        return file.mapValues { filled($0, values) }
    }

    /// The template from CViewer.
    static var file: Object {
        let file = cviewer_openapi()
        let content = Data(bytes: file.bytes, count: file.count)
        // A test checks that the file is valid JSON, so the error case does not happen.
        return (try? JSONSerialization.jsonObject(with: content) as? Object) ?? [:]
    }

    /// Returns `value` with each text that is a key of `values` replaced.
    private static func filled(_ value: Any, _ values: Object) -> Any {
        switch value {
        case let object as Object: object.mapValues { filled($0, values) }
        case let array as [Any]: array.map { filled($0, values) }
        case let text as String: values[text] ?? text
        default: value
        }
    }
}
