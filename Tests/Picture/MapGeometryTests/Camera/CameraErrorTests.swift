import Testing

@testable import MapGeometry

@Suite struct CameraErrorTests {
    /// An error means either a well-formed request without an answer, or malformed input (docs/spec/model.md rulings 4,
    /// 10, 12, 13, 16).
    @Test(arguments: [
        (CameraError.notFinite(.zoom, .infinity), false, "zoom: inf is not a finite number"),
        (.notPositive(.width, -3), false, "width: -3.0 is not above 0"),
        (.outOfRange(.latitude, 91, -90...90), false, "lat: 91.0 is outside -90.0…90.0"),
        (
            .paddingFillsView(.height, sum: 600, side: 500), false,
            "padding: 600.0 points leave no space in a height of 500.0"
        ),
        (.viewMissing, false, "width and height of the view are missing"),
        (.zoomRangeInverted(minimum: 15, maximum: 10), false, "minZoom: 15.0 is above maxZoom 10.0"),
        (.knotsNotAscending(zoom: 9), false, "maxTiltKnots: the zoom 9.0 is not above the previous zoom"),
        (.knotsNotAscending(zoom: nil), false, "maxTiltKnots: at least one knot is needed"),
        (.southAboveNorth(south: 2, north: 1), true, "bounds: the south edge 2.0 is north of the north edge 1.0"),
        (.emptyBounds, true, "bounds: the box is empty"),
        (.aboveHorizon(x: 1, y: 2), true, "point: 1.0,2.0 is above the horizon, where no ground is visible"),
    ])
    func describesEachError(error: CameraError, unanswerable: Bool, message: String) {
        #expect(error.isUnanswerable == unanswerable)
        #expect("\(error)" == message)
        #expect(message.hasPrefix(error.parameter.rawValue))
        #expect("\(CameraUpdateError(index: 3, reason: error))" == "updates[3]: \(message)")
    }
}
