import Configuration
import MapGeometry
import Raster

/// What the paths share.
extension OpenAPIDocument {
    static func parameters(layers: [String]) -> Object {
        let id: Object =
            layers.isEmpty
            ? ["type": "string", "pattern": "^[a-z0-9][a-z0-9_-]{0,63}$"] : ["type": "string", "enum": layers]
        return [
            "layer": path("layer", id, "The id of a layer or map."),
            "z": path("z", number(0...TileCoordinate.maxZoom), "The zoom."),
            "x": path("x", number(0...((1 << TileCoordinate.maxZoom) - 1)), "The column, less than 2^z."),
            "y": path("y", number(0...((1 << TileCoordinate.maxZoom) - 1)), "The row from the north, less than 2^z."),
            "s": path("s", number(1...4), "Pixels per point."),
            "format": path("format", ["type": "string", "enum": ImageForm.suffixes], "The format."),
            "set": path(
                "set", ["type": "string", "pattern": "^GoogleMapsCompatible(_[0-9]{1,4})?$"],
                "The tile matrix set; the capabilities name those of a layer."),
            "empty": query(
                "empty", ["type": "string", "enum": DocumentOptions.Empty.allCases.map(\.rawValue)],
                description: "What to answer where there is no tile."),
            "v": query("v", ["type": "integer", "minimum": 0], description: "The layer's generation."),
            "scale": query("scale", number(1...4), description: "Pixels per point of the tiles in the document."),
            "lat": query("lat", ["type": "number", "minimum": -90, "maximum": 90]),
            "lng": query("lng", ["type": "number"]),
            "zoom": query("zoom", ["type": "number"]),
            "bearing": query("bearing", ["type": "number"]),
            "viewingAngle": query("viewingAngle", ["type": "number"]),
            "width": query("width", ["type": "number", "minimum": 1]),
            "height": query("height", ["type": "number", "minimum": 1]),
            "padding": query("padding", ["type": "string"], description: "top,left,bottom,right in points."),
            "coordinate": query("coordinate", ["type": "string"], required: true, description: "lat,lng"),
        ]
    }

    private static func path(_ name: String, _ schema: Object, _ description: String) -> Object {
        ["name": name, "in": "path", "required": true, "schema": schema, "description": description]
    }

    static func number(_ range: ClosedRange<Int>) -> Object {
        ["type": "integer", "minimum": range.lowerBound, "maximum": range.upperBound]
    }

    static var responses: Object {
        [
            "Tile": content("The tile.", ImageFormat.allCases.map(\.mediaType)),
            "NoTile": ["description": "There is no tile, and the request or the layer asks for an empty answer."],
            "Unchanged": ["description": "The client has it already."],
            "Problem": content(
                "An error (RFC 9457).", "application/problem+json", schema: reference("schemas", "Problem")),
        ]
    }

    static var schemas: Object {
        [
            "Problem": [
                "type": "object", "required": ["code", "status", "title", "type"],
                "properties": [
                    "code": ["type": "string"], "field": ["type": "string"], "status": ["type": "integer"],
                    "title": ["type": "string"], "type": ["type": "string"],
                ],
            ],
            "TileJSON": [
                "type": "object", "required": ["tilejson", "tiles"],
                "properties": [
                    "tilejson": ["type": "string"], "name": ["type": "string"], "attribution": ["type": "string"],
                    "tiles": ["type": "array", "items": ["type": "string"]], "tileSize": ["type": "integer"],
                    "minzoom": number(0...TileCoordinate.maxZoom), "maxzoom": number(0...TileCoordinate.maxZoom),
                    "bounds": ["type": "array", "items": ["type": "number"], "minItems": 4, "maxItems": 4],
                    "generation": ["type": "integer"],
                ],
            ],
            "Camera": [
                "type": "object", "required": ["lat", "lng", "zoom"],
                "properties": [
                    "lat": ["type": "number"], "lng": ["type": "number"], "zoom": ["type": "number"],
                    "bearing": ["type": "number"], "viewingAngle": ["type": "number"],
                ],
            ],
            "CameraRequest": [
                "type": "object",
                "properties": [
                    "camera": reference("schemas", "Camera"),
                    "view": [
                        "type": "object", "required": ["width", "height"],
                        "properties": ["width": ["type": "number"], "height": ["type": "number"]],
                    ],
                    "update": ["type": "object"],
                    "updates": ["type": "array", "items": ["type": "object"], "maxItems": 1_000],
                    "duration": ["type": "number", "minimum": 0, "maximum": 60],
                    "fps": ["type": "number", "maximum": 120],
                ],
            ],
        ]
    }
}
