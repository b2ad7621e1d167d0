import Configuration

/// All routes as OpenAPI 3.0.3 describes them.
enum OpenAPIDocument {
    typealias Object = [String: Any]

    /// `layers`: the ids of layers and maps.
    static func json(layers: [String], base: String) -> Object {
        [
            "openapi": "3.0.3",
            "info": [
                "title": "tileserver", "version": TileServer.version,
                "description": "Raster map tiles, maps as a camera sees them, and the documents that map clients read.",
                "license": ["name": "MIT"],
            ],
            "servers": [["url": base]],
            "tags": tags,
            "paths": tilePaths.merging(documentPaths) { $1 }.merging(cameraPaths) { $1 }.merging(statePaths) { $1 }
                .merging(adminPaths) { $1 },
            "components": [
                "parameters": parameters(layers: layers),
                "responses": responses,
                "schemas": schemas,
                "securitySchemes": ["token": ["type": "http", "scheme": "bearer"]],
            ],
        ]
    }

    private static var tags: [Object] {
        [
            ["name": "tiles"], ["name": "documents", "description": "What map clients read."],
            ["name": "camera", "description": "What a camera sees."], ["name": "state"],
            ["name": "administration", "description": "Needs the admin token."],
        ]
    }

    // MARK: Parts of a path

    /// A path's one method.
    static func get(
        _ tag: String, _ summary: String, _ parameters: [Any] = [], answers: [String: Any]
    ) -> Object {
        ["get": operation(tag, summary, parameters, answers: answers)]
    }

    /// `parameters`: references by name, or what `query` makes. `answers`: responses by status; the rest is a problem.
    static func operation(
        _ tag: String, _ summary: String, _ parameters: [Any] = [], answers: [String: Any]
    ) -> Object {
        var operation: Object = [
            "tags": [tag], "summary": summary,
            "responses": answers.merging(["default": reference("responses", "Problem")]) { own, _ in own },
        ]
        if !parameters.isEmpty {
            operation["parameters"] = parameters.map { parameter in
                (parameter as? String).map { reference("parameters", $0) as Any } ?? parameter
            }
        }
        return operation
    }

    static func reference(_ kind: String, _ name: String) -> Object { ["$ref": "#/components/\(kind)/\(name)"] }

    /// A parameter of the query that only one route has.
    static func query(
        _ name: String, _ schema: Object, required: Bool = false, description: String? = nil
    ) -> Object {
        var parameter: Object = ["name": name, "in": "query", "schema": schema]
        if required { parameter["required"] = true }
        parameter["description"] = description
        return parameter
    }

    /// A response whose content is of one of `mediaTypes`.
    static func content(_ description: String, _ mediaType: String, schema: Object? = nil) -> Object {
        content(description, [mediaType], schema: schema)
    }

    static func content(_ description: String, _ mediaTypes: [String], schema: Object? = nil) -> Object {
        let schema = schema ?? ["type": "string", "format": "binary"]
        return [
            "description": description,
            "content": Dictionary(uniqueKeysWithValues: mediaTypes.map { ($0, ["schema": schema]) }),
        ]
    }

    static func json(_ description: String, _ schema: Object = ["type": "object"]) -> Object {
        content(description, "application/json", schema: schema)
    }

    static var unchanged: Object {
        reference("responses", "Unchanged")
    }
}
