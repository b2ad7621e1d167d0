import HTTPServer
import JSON
import MapGeometry

/// Why a question about a camera has no answer: 400 where it is malformed, 422 where it is well formed and yet has none.
struct CameraFault: Error, Equatable {
    let status: Status
    let code: String
    /// The parameter at fault, by its name in the request.
    let field: String
    let title: String

    static func missing(_ field: String) -> CameraFault {
        bad(field, "The parameter is missing.")
    }

    static func malformed(_ field: String, expected: StaticString) -> CameraFault {
        bad(field, "Expected \(expected).")
    }

    private static func bad(_ field: String, _ title: String) -> CameraFault {
        CameraFault(status: .badRequest, code: "bad-camera", field: field, title: title)
    }

    /// `field`: the whole path of what is at fault where it is not a parameter of the request itself.
    init(_ error: CameraError, field: String? = nil) {
        self.init(
            status: error.isUnanswerable ? .unprocessableContent : .badRequest, code: error.code,
            field: field ?? error.parameter.rawValue, title: error.title)
    }

    /// What is wrong with the content of a request. The texts are the reader's own; of the content they have nothing.
    init(_ error: JSONError) {
        self =
            switch error {
            case .syntax(let line, let column, let expected, _):
                .bad("content", "Expected \(expected) at line \(line), column \(column) of the JSON.")
            case .notUTF8(let line, let column): .bad("content", "Expected UTF-8 at line \(line), column \(column).")
            case .tooDeep(_, let limit): .bad("content", "Expected at most \(limit) arrays and objects in each other.")
            case .repeated(let path): .bad(path, "The field stands there twice.")
            case .unknown(let path): .bad(path, "There is no such field.")
            case .missing(let path): .missing(path)
            case .mistyped(let path, let expected, _): .bad(path.isEmpty ? "content" : path, "Expected \(expected).")
            }
    }

    /// The same, as seen from one level above, where `step` leads to where it was found.
    func within(_ step: String) -> CameraFault {
        CameraFault(status: status, code: code, field: "\(step).\(field)", title: title)
    }

    /// What `body` returns; a `CameraError` or `JSONError` that it throws is told as a fault.
    static func translating<Value>(_ body: () throws -> Value) throws(CameraFault) -> Value {
        do {
            return try body()
        } catch let error as CameraError {
            throw CameraFault(error)
        } catch let error as JSONError {
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
