import HTTPServer
import JSON
import MapGeometry
import MapService

extension CameraRequestError {
    /// Converts an error in the JSON content of a request. The message contains no part of the content. The path of a
    /// field can contain names from the content.
    init(_ error: JSONError) {
        self =
            switch error {
            case .syntax(let line, let column, let expected, _):
                .bad("content", "Expected \(expected) at line \(line), column \(column) of the JSON.")
            case .notUTF8(let line, let column): .bad("content", "Expected UTF-8 at line \(line), column \(column).")
            case .tooDeep(_, let limit): .bad("content", "Expected at most \(limit) nested arrays and objects.")
            case .repeated(let path): .bad(path, "The field is given twice.")
            case .unknown(let path): .bad(path, "Unknown field.")
            case .missing(let path): .missing(path)
            case .mistyped(let path, let expected, _): .bad(path.isEmpty ? "content" : path, "Expected \(expected).")
            }
    }

    /// Runs `body` and returns its result. If `body` throws a `CameraError` or `JSONError`, converts the error to a
    /// `CameraRequestError`. Passes a `CameraRequestError` on. Every other error means a malformed query.
    static func translating<Value>(_ body: () throws -> Value) throws(CameraRequestError) -> Value {
        do {
            return try body()
        } catch let error as CameraError {
            throw CameraRequestError(error)
        } catch let error as JSONError {
            throw CameraRequestError(error)
        } catch let fault as CameraRequestError {
            throw fault
        } catch {
            throw .malformed("query", expected: "the parameters of this route")
        }
    }

    var response: Response {
        var problem = Problem(isUnanswerable ? .unprocessableContent : .badRequest, code, title)
        problem.field = field
        return problem.response()
    }
}

extension Int {
    /// Converts the value of the parameter `name` to a whole number. Throws if the value is not a whole number in
    /// `range`.
    static func whole(
        _ number: Double, _ name: String, in range: ClosedRange<Int>
    ) throws(CameraRequestError) -> Int {
        guard let whole = Int(exactly: number), range.contains(whole) else {
            throw .bad(name, "Expected a whole number in \(range.lowerBound)…\(range.upperBound).")
        }
        return whole
    }
}
