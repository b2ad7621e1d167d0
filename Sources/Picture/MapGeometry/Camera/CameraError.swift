/// Why a camera, a view, bounds or an update cannot be had.
public enum CameraError: Error, Hashable, Sendable {
    /// A number is NaN or infinite.
    case notFinite(CameraParameter, Double)
    /// A number is not above zero.
    case notPositive(CameraParameter, Double)
    /// A number is outside what its parameter takes.
    case outOfRange(CameraParameter, Double, ClosedRange<Double>)
    /// Opposite paddings add up to `sum` points, which leaves nothing of the view's `width` or `height`, `side` points.
    case paddingFillsView(CameraParameter, sum: Double, side: Double)
    /// The update or the projection needs the view's width and height.
    case viewMissing
    /// A map's zoom range whose ends are the wrong way round.
    case zoomRangeInverted(minimum: Double, maximum: Double)
    /// The knots of a viewing-angle limit are none, or their zooms do not grow; `zoom` is the first that does not.
    case knotsNotAscending(zoom: Double?)
    /// Bounds whose south edge lies north of their north edge, in degrees.
    case southAboveNorth(south: Double, north: Double)
    /// Bounds that hold no place.
    case emptyBounds
    /// No ground is seen at this point of the view.
    case aboveHorizon(x: Double, y: Double)

    /// Whether the input is well formed and yet has no answer, which HTTP calls 422; all else is 400 (docs/spec/model.md rulings
    /// 4, 10, 12, 13, 16).
    package var isUnanswerable: Bool {
        switch self {
        case .southAboveNorth, .emptyBounds, .aboveHorizon: true
        case .notFinite, .notPositive, .outOfRange, .paddingFillsView, .viewMissing, .zoomRangeInverted,
            .knotsNotAscending:
            false
        }
    }

    /// What is at fault.
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
    /// The parameter by its name in a request, the value that offends, and what was expected.
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
    /// The value itself; throws unless it is finite.
    func finite(_ parameter: CameraParameter) throws(CameraError) -> Double {
        guard isFinite else { throw .notFinite(parameter, self) }
        return self
    }

    /// The value itself; throws unless it is finite and in `range`.
    func within(_ range: ClosedRange<Double>, _ parameter: CameraParameter) throws(CameraError) -> Double {
        guard range.contains(try finite(parameter)) else { throw .outOfRange(parameter, self, range) }
        return self
    }

    /// The value itself; throws unless it is finite and above zero.
    func positive(_ parameter: CameraParameter) throws(CameraError) -> Double {
        guard try finite(parameter) > 0 else { throw .notPositive(parameter, self) }
        return self
    }
}
