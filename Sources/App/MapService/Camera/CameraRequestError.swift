import MapGeometry

/// The error of a request about a camera or for an image.
package struct CameraRequestError: Error, Equatable {
    /// True if the request is well formed but has no answer. False if the request is malformed.
    package let isUnanswerable: Bool
    package let code: String
    /// The name of the wrong parameter, or the path of the wrong field in the request's JSON.
    package let field: String
    package let title: String
}

extension CameraRequestError {
    package static func missing(_ field: String) -> CameraRequestError {
        bad(field, "The parameter is missing.")
    }

    package static func malformed(_ field: String, expected: StaticString) -> CameraRequestError {
        bad(field, "Expected \(expected).")
    }

    /// Refuses a latitude beyond ±90. The usual cause is that the latitude stands before the longitude.
    package static func latitude(_ found: Double, _ field: String) -> CameraRequestError {
        bad(field, "Expected a latitude in -90…90 after the longitude, found \(found).")
    }

    package static func bad(_ field: String, _ title: String) -> CameraRequestError {
        CameraRequestError(isUnanswerable: false, code: "bad-camera", field: field, title: title)
    }

    /// Converts an error of the camera. `field` is the full path of the wrong value if the value is not a parameter of
    /// the request itself.
    package init(_ error: CameraError, field: String? = nil) {
        self.init(
            isUnanswerable: error.isUnanswerable, code: error.code,
            field: field ?? error.parameter.rawValue, title: error.title)
    }

    /// Returns this error with `step` before the name of the field, for a value inside another value.
    package func within(_ step: String) -> CameraRequestError {
        CameraRequestError(isUnanswerable: isUnanswerable, code: code, field: "\(step).\(field)", title: title)
    }
}

extension CameraError {
    fileprivate var code: String {
        switch self {
        case .southAboveNorth, .emptyBounds: "invalid-bounds"
        case .aboveHorizon: "above-horizon"
        case .notFinite, .notPositive, .outOfRange, .paddingFillsView, .viewMissing, .zoomRangeInverted,
            .knotsNotAscending:
            "bad-camera"
        }
    }

    fileprivate var title: String {
        switch self {
        case .notFinite: "Expected a finite number."
        case .notPositive: "Expected a number above 0."
        case .outOfRange(_, _, let range): "Expected a number in \(range.lowerBound)…\(range.upperBound)."
        case .paddingFillsView: "The padding leaves no space in the view."
        case .viewMissing: "The width and height of the view are missing."
        case .zoomRangeInverted: "minZoom is above maxZoom."
        case .knotsNotAscending: "Expected knots in ascending zoom order."
        case .southAboveNorth: "The south edge is north of the north edge."
        case .emptyBounds: "The bounds are empty."
        case .aboveHorizon: "The point is above the horizon, where no ground is visible."
        }
    }
}
