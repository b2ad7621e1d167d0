/// The routes about a camera, and those that need the token.
extension OpenAPIDocument {
    private static var camera: [Any] {
        [
            "layer", "lat", "lng", "zoom", "bearing", "viewingAngle", "width", "height", "padding",
        ]
    }

    static var cameraPaths: Object {
        [
            "/{layer}/camera": [
                "get": operation("camera", "A camera as the map allows it.", camera, answers: cameraAnswers),
                "post": posting("The same, after updates.", cameraAnswers),
            ],
            "/{layer}/camera/animation": [
                "post": posting(
                    "The way of the camera, frame by frame.",
                    [
                        "200": [
                            "description": "The frames: numbers, or drawn.",
                            "content": [
                                "application/json": ["schema": ["type": "object"]],
                                "image/apng": ["schema": ["type": "string", "format": "binary"]],
                            ],
                        ],
                        "304": unchanged,
                    ])
            ],
            "/{layer}/camera/for-bounds": question(
                "The camera that shows a box.", query("bounds", ["type": "string"]), query("sw", ["type": "string"]),
                query("ne", ["type": "string"]), query("insets", ["type": "string"])),
            "/{layer}/projection/point": question("Where a place is on the screen.", "coordinate"),
            "/{layer}/projection/coordinate": question(
                "The place at a point of the screen.",
                query("point", ["type": "string"], required: true, description: "x,y")),
            "/{layer}/projection/visible-region": question("The corners of what is seen."),
            "/{layer}/projection/points-for-meters": question(
                "Points that a distance takes.", query("meters", ["type": "number"], required: true), "coordinate"),
            "/{layer}/projection/contains": question("Whether a place is seen.", "coordinate"),
            "/{layer}/cover": question(
                "The tiles that are seen.", query("tileSize", number(64...4_096)), "scale"),
        ]
    }

    private static var cameraAnswers: [String: Any] {
        ["200": json("The camera."), "304": unchanged]
    }

    private static func question(_ summary: String, _ parameters: Any...) -> Object {
        get("camera", summary, camera + parameters, answers: ["200": json("The answer."), "304": unchanged])
    }

    private static func posting(_ summary: String, _ answers: [String: Any]) -> Object {
        var operation = operation("camera", summary, ["layer"], answers: answers)
        operation["requestBody"] = [
            "required": true, "content": ["application/json": ["schema": reference("schemas", "CameraRequest")]],
        ]
        return operation
    }

    static var adminPaths: Object {
        [
            "/admin/cache": [
                "get": admin("What the cache holds."),
                "delete": admin("Clears all layers, or a part of them.", part),
            ],
            "/admin/cache/{layer}": ["delete": admin("Clears a layer, or a part of it.", ["layer"] + part)],
            "/admin/cache/{layer}/{z}/{x}/{y}": ["delete": admin("Clears a tile.", ["layer", "z", "x", "y"])],
            "/admin/expire/{layer}": ["post": expiring],
            "/admin/reload": ["post": admin("Reads the configuration again.")],
            "/admin/explain/{layer}/{z}/{x}/{y}": ["get": admin("All about a tile.", ["layer", "z", "x", "y"])],
            "/admin/explain/{layer}/{z}/{x}/{y}@{s}x": [
                "get": admin("All about a tile with more pixels.", ["layer", "z", "x", "y", "s"])
            ],
            "/admin/code": ["post": admin("A code that the page exchanges for the token, once, within a minute.")],
            "/admin/token": ["post": admin("The token, in exchange for a code as the bearer token.")],
            "/metrics": ["get": metrics],
        ]
    }

    private static var part: [Any] {
        [
            query("bbox", ["type": "string"], description: "west,south,east,north"),
            query("zoom", ["type": "string"], description: "A zoom, or first-last."),
            query("soft", ["type": "string", "enum": ["0", "1"]], description: "1: stale, not gone."),
        ]
    }

    private static var expiring: Object {
        var operation = admin(
            "Expires the tiles of a list.",
            [
                "layer",
                query("zooms", ["type": "string"], description: "Also the tiles above and below at first-last."),
                query("soft", ["type": "string", "enum": ["0", "1"]], description: "0: gone, not stale."),
            ])
        operation["requestBody"] = [
            "required": true,
            "content": ["text/plain": ["schema": ["type": "string", "description": "Lines of z/x/y."]]],
        ]
        return operation
    }

    private static var metrics: Object {
        var operation = admin("Numbers for Prometheus; public where metrics.public is set.")
        operation["responses"] = [
            "200": content("The numbers.", "text/plain", schema: ["type": "string"]),
            "default": reference("responses", "Problem"),
        ]
        return operation
    }

    private static func admin(_ summary: String, _ parameters: [Any] = []) -> Object {
        var operation = operation("administration", summary, parameters, answers: ["200": json("The report.")])
        operation["security"] = [["token": [String]()]]
        return operation
    }
}
