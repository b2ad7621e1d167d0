import Raster

/// The routes that everybody may ask, but for the camera's.
extension OpenAPIDocument {
    private static var tileAnswers: [String: Any] {
        [
            "200": reference("responses", "Tile"), "204": reference("responses", "NoTile"), "304": unchanged,
        ]
    }

    static var tilePaths: Object {
        [
            "/{layer}/{z}/{x}/{y}.{format}": get(
                "tiles", "A tile.", ["layer", "z", "x", "y", "format", "empty", "v"], answers: tileAnswers),
            "/{layer}/{z}/{x}/{y}@{s}x.{format}": get(
                "tiles", "A tile with more pixels.", ["layer", "z", "x", "y", "s", "format", "empty", "v"],
                answers: tileAnswers),
            "/{layer}/{z}/{x}/{y}": get(
                "tiles", "A tile in the format that the layer and the client's Accept lead to.",
                ["layer", "z", "x", "y", "empty", "v"], answers: tileAnswers),
            "/{layer}/{z}/{x}/{y}@{s}x": get(
                "tiles", "The same with more pixels.", ["layer", "z", "x", "y", "s", "empty", "v"],
                answers: tileAnswers),
            "/{layer}/wmts/{set}/{z}/{x}/{y}.{format}": get(
                "tiles", "A tile of a tile matrix set of WMTS.",
                ["layer", "set", "z", "x", "y", "format", "empty", "v"],
                answers: tileAnswers),
            "/{layer}/static/{view}/{size}.{format}": get(
                "camera", "The map as a camera sees it.",
                [
                    "layer",
                    [
                        "name": "view", "in": "path", "required": true, "schema": ["type": "string"],
                        "description": "lon,lat,zoom[@bearing[,tilt]], or west,south,east,north",
                        "example": "-123.1,49.2,9@30,45",
                    ],
                    [
                        "name": "size", "in": "path", "required": true,
                        "schema": ["type": "string", "pattern": "^[0-9]{1,4}x[0-9]{1,4}(@[1-4]x)?$"],
                        "description": "Points, and pixels per point.", "example": "320x200@2x",
                    ],
                    "format",
                    query("padding", ["type": "string"]), query("background", ["type": "string"]),
                    query("partial", ["type": "boolean"]), query("attribution", ["type": "boolean"]),
                    query("marker", ["type": "array", "items": ["type": "string"], "maxItems": 100]),
                    query("path", ["type": "array", "items": ["type": "string"]]),
                ],
                answers: ["200": content("The image.", ImageForm.named.map(\.format.mediaType)), "304": unchanged]),
        ]
    }

    static var documentPaths: Object {
        [
            "/{layer}.json": document(
                "TileJSON 3.0.0.", ["layer", "scale", "empty"],
                json("The document.", reference("schemas", "TileJSON"))),
            "/layers.json": document(
                "All layers and maps.", [],
                json("The documents.", ["type": "array", "items": reference("schemas", "TileJSON")])),
            "/{layer}/style.json": document(
                "A style for MapLibre.", ["layer", "scale", "empty"], json("The style.")),
            "/{layer}/wmts.xml": document("WMTS capabilities of one layer.", ["layer", "empty"], xml),
            "/wmts.xml": document("WMTS capabilities of all layers.", ["empty"], xml),
            "/{layer}/gdal.xml": document("What GDAL opens.", ["layer", "scale", "empty"], xml),
            "/{layer}/qgis.xml": document("A connection for QGIS.", ["layer", "scale", "empty"], xml),
            "/qgis.xml": document("Connections for QGIS to all layers.", ["scale", "empty"], xml),
            "/openapi.json": document("This document.", [], json("The document.")),
            "/wmts": get(
                "documents", "A Web Map Tile Service 1.0.0 by key-value pairs.", wmtsParameters,
                answers: [
                    "200": content(
                        "Capabilities, or a tile.", ["application/xml"] + ImageFormat.allCases.map(\.mediaType)),
                    "204": reference("responses", "NoTile"), "304": unchanged,
                    "default": content("An exception report.", "application/xml"),
                ]),
        ]
    }

    private static var xml: Object {
        content("The document.", "application/xml", schema: ["type": "string"])
    }

    private static func document(_ summary: String, _ parameters: [Any], _ answer: Object) -> Object {
        get("documents", summary, parameters, answers: ["200": answer, "304": unchanged])
    }

    private static var wmtsParameters: [Any] {
        [
            query(
                "service", ["type": "string", "enum": ["WMTS"]], required: true, description: "Names are in any case."),
            query("request", ["type": "string", "enum": ["GetCapabilities", "GetTile"]], required: true),
            query("version", ["type": "string", "enum": ["1.0.0"]]), query("layer", ["type": "string"]),
            query("style", ["type": "string", "enum": ["default"]]), query("format", ["type": "string"]),
            query("tilematrixset", ["type": "string"]), query("tilematrix", ["type": "string"]),
            query("tilerow", ["type": "integer"]), query("tilecol", ["type": "integer"]), "empty",
        ]
    }

    static var statePaths: Object {
        [
            "/": get("state", "A page that shows a map.", answers: ["200": page, "304": unchanged]),
            "/{layer}": get(
                "state", "The page, about one layer or map, for browsers.", ["layer"],
                answers: ["200": page, "304": unchanged]),
            "/assets/{file}": get(
                "state", "A file of the page.",
                [part("file", example: "main.js")],
                answers: ["200": ["description": "The file."], "304": unchanged]),
            "/assets/{folder}/{script}": get(
                "state", "A script of the page in a folder.",
                [part("folder", example: "events"), part("script", example: "worker.js")],
                answers: ["200": ["description": "The file."], "304": unchanged]),
            "/favicon.ico": get(
                "state", "The page's icon.", answers: ["200": content("The icon.", "image/svg+xml"), "304": unchanged]),
            "/health": get("state", "Whether the process lives.", answers: ["200": json("It does.")]),
            "/ready": get("state", "Whether it serves.", answers: ["200": json("It does.")]),
            "/version": get("state", "Name and version.", answers: ["200": json("They are.")]),
            "/events": get(
                "state", "What happens to layers and maps, as it happens.",
                answers: ["200": content("Server-sent events, without an end.", "text/event-stream")]),
        ]
    }

    private static func part(_ name: String, example: String) -> Object {
        ["name": name, "in": "path", "required": true, "schema": ["type": "string"], "example": example]
    }

    private static var page: Object {
        content("The page.", "text/html", schema: ["type": "string"])
    }
}
