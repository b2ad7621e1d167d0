import HTTPServer
import MapGeometry

/// Why a question about a camera has no answer: 400 where it is malformed, 422 where it is well formed and yet has none.
struct CameraFault: Error, Equatable {
    let status: Status
    let code: String
    /// The parameter at fault, by its name in the request.
    let field: String
    let title: String

    static func missing(_ field: String) -> CameraFault {
        CameraFault(status: .badRequest, code: "bad-camera", field: field, title: "The parameter is missing.")
    }

    static func malformed(_ field: String, expected: StaticString) -> CameraFault {
        CameraFault(status: .badRequest, code: "bad-camera", field: field, title: "Expected \(expected).")
    }

    /// `prefix`: where in the request it stands, such as `updates[2].`.
    init(_ error: CameraError, prefix: String = "") {
        self.init(
            status: error.isUnanswerable ? .unprocessableContent : .badRequest, code: error.code,
            field: prefix + error.parameter.rawValue, title: error.title)
    }

    /// What `body` returns; a `CameraError` that it throws is told as a fault.
    static func translating<Value>(_ body: () throws -> Value) throws(CameraFault) -> Value {
        do {
            return try body()
        } catch let error as CameraError {
            throw CameraFault(error)
        } catch let fault as CameraFault {
            throw fault
        } catch {
            throw .malformed("query", expected: "parameters of this question")
        }
    }

    init(status: Status, code: String, field: String, title: String) {
        self.status = status
        self.code = code
        self.field = field
        self.title = title
    }

    var response: Response {
        var problem = Problem(status: status, code: code, title: title)
        problem.field = field
        return problem.response()
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
        case .paddingFillsView: "The padding leaves nothing of the view."
        case .viewMissing: "The width and height of the view are missing."
        case .zoomRangeInverted: "The least zoom is above the greatest."
        case .knotsNotAscending: "The zooms of the knots must grow."
        case .southAboveNorth: "The south edge lies north of the north edge."
        case .emptyBounds: "The bounds hold no place."
        case .aboveHorizon: "No ground is seen there."
        }
    }
}
