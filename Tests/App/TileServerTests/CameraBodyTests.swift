import Configuration
import TestSupport
import Testing

@testable import TileServer

/// Tests of JSON bodies of camera requests, and of errors that name the wrong field.
@Suite(.blocking) struct CameraBodyTests {
    /// Samples T-UPD-9, T-UPD-13 and T-FIT-1.
    @Test(arguments: [
        (#""update": {"type": "zoomBy", "delta": 1, "point": [600, 150]}"#, 49.327172792, -122.972670898, 11.0),
        (#""updates": [{"type": "setTarget", "target": [100, 480]}, {"type": "zoomTo", "zoom": 3}]"#, 85, 120, 3),
        (#""updates": [{"type": "toLocation", "target": [10, 20]}, {"type": "toZoom", "zoom": 4}]"#, 10, 20, 4),
        (#""update": {"type": "setTarget", "target": [10, 20], "zoom": 4}"#, 10, 20, 4),
        (
            #""update": {"type": "fitBounds", "bounds": {"sw": [49.26, -123.11], "ne": [51.05, -114.05]}}"#,
            50.163378172, -118.58, 6.704659469
        ),
    ])
    func movesTheCamera(update: String, latitude: Double, longitude: Double, zoom: Double) async throws {
        for way in Way.allCases {
            try await withCameraMap(way) { endpoint in
                let body = """
                    {"camera": {"lat": 49.26, "lng": -123.11, "zoom": 10}, "view": {"width": 800, "height": 600},
                    \(update)}
                    """
                let response = try await endpoint.post("/demo/camera", body)
                #expect(response.status == 200, "\(response.text)")
                let camera = try toldCamera(by: response)
                #expect(
                    isNear(camera["lat"], latitude)
                        && isNear(camera["lng"], longitude))
                #expect(isNear(camera["zoom"], zoom))
            }
        }
    }

    @Test(arguments: [
        ("", "content", 400), ("[]", "content", 400), (#"{"camera": {"lat": 1}}"#, "camera.lng", 400),
        ("{", "content", 400), ("{}{}", "content", 400), (#"{"update": {"type": "\ud83d"}}"#, "content", 400),
        (#"{"camera": {"lat": 1, "lng": "x"}}"#, "camera.lng", 400), (#"{"update": {}}"#, "update.type", 400),
        (#"{"update": {"type": "jump"}}"#, "update.type", 400),
        (#"{"updates": [{"type": "zoomIn"}, {"type": "zoomTo"}]}"#, "updates[1].zoom", 400),
        (#"{"update": {"type": "scrollBy", "x": 1, "y": 2}}"#, "view.width", 400),
        (#"{"view": {"width": 9}, "update": {"type": "zoomIn"}}"#, "view.height", 400),
        (
            #"{"view": {"width": 99, "height": 99}, "update": {"type": "fitBounds", "bounds": {}}}"#, "update.bounds",
            422
        ),
        (#"{"update": {"type": "zoomBy", "delta": 1, "point": [1]}}"#, "update.point", 400),
        (String(repeating: "[", count: 60_000), "content", 400),
    ])
    func refusesABodyAndNamesTheField(body: String, field: String, status: Int) async throws {
        try await withCameraMap { endpoint in
            let response = try await endpoint.post("/demo/camera", body)
            #expect(response.status == status)
            #expect(response.json?["field"] as? String == field, "\(response.text)")
        }
    }

    /// Unknown, repeated and mistyped fields are named by their whole path.
    @Test(arguments: [
        (#"{"cameras": {}}"#, "cameras"), (#"{"view": {"width": 9, "height": 9, "widht": 9}}"#, "view.widht"),
        (#"{"view": {"width": 9, "width": 9, "height": 9}}"#, "view.width"),
        (#"{"view": {"w\u0069dth": 9, "width": 9, "height": 9}}"#, "view.width"),
        (#"{"camera": {"lat": 1, "lng": 2}, "camera": {"lat": 1, "lng": 2}}"#, "camera"),
        (#"{"camera": {"lat": 1, "lng": 2, "Zoom": 3}}"#, "camera.Zoom"),
        (#"{"camera": {"lat": 1, "lng": 2, "zoom": true}}"#, "camera.zoom"),
        (#"{"camera": {"lat": 1, "lng": 1e999}}"#, "camera.lng"), (#"{"camera": 5}"#, "camera"),
        (#"{"camera": {"lat": 1, "lng": 2, "tilt": 3, "viewingAngle": 3}}"#, "camera.viewingAngle"),
        (#"{"view": {"width": 9, "height": 9, "padding": {"top": 1}}}"#, "view.padding.left"),
        (
            #"{"view": {"width": 9, "height": 9, "padding": {"top": 1, "left": 1, "bottom": 1, "right": 1, "#
                + #""all": 1}}}"#,
            "view.padding.all"
        ),
        (
            #"{"view": {"width": 9, "height": 9, "padding": {"top": 5, "left": 1, "bottom": 5, "right": 1}}}"#,
            "view.padding"
        ),
        (#"{"view": {"width": 9999, "height": 9}}"#, "view.width"),
        (#"{"updates": [{"type": "zoomIn"}, {"type": "zoomIn", "by": 2}]}"#, "updates[1].by"),
        // `delta` is a field of another type of update.
        (#"{"update": {"type": "zoomIn", "delta": 2}}"#, "update.delta"), (#"{"updates": {}}"#, "updates"),
        (#"{"updates": [{"type": "zoomIn"}, 7]}"#, "updates[1]"), (#"{"update": {"type": 7}}"#, "update.type"),
        (#"{"updates": [{"type": "zoomBy", "delta": 1, "point": [1, "2"]}]}"#, "updates[0].point[1]"),
        (#"{"updates": [{"type": "zoomBy", "delta": 1, "point": [1, 2, 3]}]}"#, "updates[0].point"),
        (#"{"update": {"type": "setCamera", "camera": {"lat": 1}}}"#, "update.camera.lng"),
        (
            #"{"update": {"type": "fitBounds", "bounds": {"sw": [1, 2], "ne": [99, 2]}}}"#, "update.bounds.ne"
        ),
        (#"{"update": {"type": "toViewingAngle"}}"#, "update.viewingAngle"),
        (#"{"update": {"type": "toViewingAngle", "tilt": 1, "viewingAngle": 1}}"#, "update.viewingAngle"),
        (#"{"updates": [\#(Array(repeating: "{}", count: 1_001).joined(separator: ","))]}"#, "updates"),
        (#"{"update": {"type": "zoomIn"}, "updates": []}"#, "update"), (#"{"curve": 5}"#, "curve"),
    ])
    func namesTheWholePathOfAField(body: String, field: String) async throws {
        try await withCameraMap { endpoint in
            for target in ["/demo/camera", "/demo/camera/animation"] {
                let response = try await endpoint.post(target, body)
                #expect(response.status == 400 && response.problem == "bad-camera")
                #expect(response.json?["field"] as? String == field, "\(response.text)")
            }
        }
    }

    /// Foundation's decoder crashed on 513 unclosed brackets at the end of the text.
    @Test(arguments: Way.allCases, ["[", "{\"camera\":", "{\"updates\":["])
    func refusesUnclosedBrackets(way: Way, opening: String) async throws {
        try await withCameraMap(way) { endpoint in
            for count in [32, 33, 512, 513, 514, 4_000] {
                let body = String(repeating: opening, count: count)
                for target in ["/demo/camera", "/demo/camera/animation"] {
                    let response = try await endpoint.post(target, body)
                    #expect(response.status == 400 && response.json?["field"] as? String == "content")
                    let picture = try await endpoint.ask(
                        "POST", target, ["Content-Type: application/json", "Accept: image/apng"], body: body)
                    #expect(picture.status == 400)
                }
            }
            #expect(try await endpoint.get("/demo/camera").status == 200)
        }
    }

    @Test func acceptsTiltAsViewingAngle() async throws {
        let camera = #"{"lat": 1, "lng": 2, "zoom": 16, "tilt": 50}"#
        try await withCameraMap { endpoint in
            for body in [
                "{\"camera\": \(camera)}", "{\"update\": {\"type\": \"setCamera\", \"camera\": \(camera)}}",
                #"{"camera": {"lat": 1, "lng": 2, "zoom": 16}, "update": {"type": "toViewingAngle", "tilt": 50}}"#,
                #"{"camera": {"lat": 1, "lng": 2, "zoom": 16}, "updates": [{"type": "toViewingAngle", "#
                    + #""viewingAngle": 50}]}"#,
            ] {
                let response = try await endpoint.post("/demo/camera", body)
                #expect(try toldCamera(by: response)["viewingAngle"] == 50, "\(response.text)")
            }
        }
    }

    /// A null field is treated as missing.
    @Test func ignoresNullFields() async throws {
        try await withCameraMap { endpoint in
            let body = #"{"camera": null, "view": null, "update": {"type": "zoomBy", "delta": 1, "point": null}}"#
            let camera = try toldCamera(by: try await endpoint.post("/demo/camera", body))
            #expect(camera["zoom"] == 6)
        }
    }
}
