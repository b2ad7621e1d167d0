/// The reason why a function of this module refuses its input or has no answer.
public enum CameraError: Error, Hashable, Sendable {
    /// A number is NaN or infinite.
    case notFinite(CameraParameter, Double)
    /// A number is not above zero.
    case notPositive(CameraParameter, Double)
    /// A number is outside the range of its parameter.
    case outOfRange(CameraParameter, Double, ClosedRange<Double>)
    /// Opposite paddings cover the whole view. The sum of the paddings is `sum` points, and the width or height of the
    /// view is `side` points.
    case paddingFillsView(CameraParameter, sum: Double, side: Double)
    /// The function needs a view, but the map has none.
    case viewMissing
    /// The minimum of a map's zoom range is above its maximum.
    case zoomRangeInverted(minimum: Double, maximum: Double)
    /// A viewing-angle limit has no knots, or the zooms of its knots do not ascend. `zoom` is the first zoom that is
    /// not above the zoom before. `zoom` is nil if there are no knots.
    case knotsNotAscending(zoom: Double?)
    /// The south edge of bounds lies north of their north edge; both in degrees.
    case southAboveNorth(south: Double, north: Double)
    /// The bounds contain no place.
    case emptyBounds
    /// The view shows no ground at this point: the point is not below the horizon, or too little below it.
    case aboveHorizon(x: Double, y: Double)

    /// True if the input is well formed but has no answer. HTTP answers these errors with 422 and all others with 400
    /// (docs/spec/model.md rulings 4, 10, 12, 13, 16).
    package var isUnanswerable: Bool {
        switch self {
        case .southAboveNorth, .emptyBounds, .aboveHorizon: true
        case .notFinite, .notPositive, .outOfRange, .paddingFillsView, .viewMissing, .zoomRangeInverted,
            .knotsNotAscending:
            false
        }
    }

    /// The parameter that caused the error.
    public var parameter: CameraParameter {
        switch self {
        case .notFinite(let parameter, _), .notPositive(let parameter, _), .outOfRange(let parameter, _, _): parameter
        case .paddingFillsView: .padding
        case .viewMissing: .width
        case .zoomRangeInverted: .minZoom
        case .knotsNotAscending: .maxTiltKnots
        case .southAboveNorth, .emptyBounds: .bounds
        case .aboveHorizon: .point
        }
    }
}

extension CameraError: CustomStringConvertible {
    /// The message, which names the parameter by its raw value.
    public var description: String {
        switch self {
        case .notFinite(let parameter, let value): "\(parameter.rawValue): \(value) is not a finite number"
        case .notPositive(let parameter, let value): "\(parameter.rawValue): \(value) is not above 0"
        case .outOfRange(let parameter, let value, let range):
            "\(parameter.rawValue): \(value) is outside \(range.lowerBound)…\(range.upperBound)"
        case .paddingFillsView(let side, let sum, let length):
            "padding: \(sum) points leave no space in a \(side.rawValue) of \(length)"
        case .viewMissing: "width and height of the view are missing"
        case .zoomRangeInverted(let minimum, let maximum): "minZoom: \(minimum) is above maxZoom \(maximum)"
        case .knotsNotAscending(let zoom?): "maxTiltKnots: the zoom \(zoom) is not above the previous zoom"
        case .knotsNotAscending(nil): "maxTiltKnots: at least one knot is needed"
        case .southAboveNorth(let south, let north):
            "bounds: the south edge \(south) is north of the north edge \(north)"
        case .emptyBounds: "bounds: the box is empty"
        case .aboveHorizon(let x, let y): "point: \(x),\(y) is above the horizon, where no ground is visible"
        }
    }
}

extension Double {
    /// Returns the value itself. Throws `notFinite` unless the value is finite.
    func finite(_ parameter: CameraParameter) throws(CameraError) -> Double {
        guard isFinite else { throw .notFinite(parameter, self) }
        return self
    }

    /// Returns the value itself. Throws unless the value is finite and in `range`.
    func within(_ range: ClosedRange<Double>, _ parameter: CameraParameter) throws(CameraError) -> Double {
        guard range.contains(try finite(parameter)) else { throw .outOfRange(parameter, self, range) }
        return self
    }

    /// Returns the value itself. Throws unless the value is finite and above zero.
    func positive(_ parameter: CameraParameter) throws(CameraError) -> Double {
        guard try finite(parameter) > 0 else { throw .notPositive(parameter, self) }
        return self
    }
}
