import Bytes
import HTTPServer

/// An error in the XML format of OGC services (OGC 06-121r3, 8). The texts are constant and contain no part of the
/// request.
struct ExceptionReport: Error {
    enum Code: String {
        case missingParameter = "MissingParameterValue"
        case invalidParameter = "InvalidParameterValue"
        case versionNegotiationFailed = "VersionNegotiationFailed"
        case operationNotSupported = "OperationNotSupported"
        case tileOutOfRange = "TileOutOfRange"
        case notApplicable = "NoApplicableCode"

        /// The HTTP status of the code, from OGC 06-121r3 table 28 and OGC 07-057r7 table 26.
        var status: Status {
            switch self {
            case .missingParameter, .invalidParameter, .versionNegotiationFailed, .tileOutOfRange: .badRequest
            case .operationNotSupported: .notImplemented
            case .notApplicable: .internalServerError
            }
        }
    }

    let code: Code
    /// The name of the wrong parameter.
    var locator: String?
    let text: String

    func response() -> Response {
        Response(
            code.status, fields: SharedBytes(Self.contentType.array + Self.fields(problem: code.rawValue).array),
            common: CommonFields.open, caching: Caching(.noStore), body: body)
    }

    private static let contentType = FieldLines.make([("Content-Type", "application/xml")])

    /// The header lines of every error of a public route.
    private static func fields(problem code: String) -> SharedBytes {
        FieldLines.make([(OwnField.problem.rawValue, code), ("Vary", "Sec-Fetch-Dest")])
    }

    private var body: SharedBytes {
        var document = XMLText()
        document.add(
            "ows:ExceptionReport",
            [
                "xmlns:ows": "http://www.opengis.net/ows/1.1",
                "xmlns:xsi": "http://www.w3.org/2001/XMLSchema-instance",
                "xsi:schemaLocation":
                    "http://www.opengis.net/ows/1.1 http://schemas.opengis.net/ows/1.1.0/owsExceptionReport.xsd",
                "version": "1.0.0", "xml:lang": "en",
            ]
        ) { report in
            let attributes: XMLText.Attributes =
                locator.map { ["exceptionCode": code.rawValue, "locator": $0] } ?? ["exceptionCode": code.rawValue]
            report.add("ows:Exception", attributes) { $0.add("ows:ExceptionText", text) }
        }
        return SharedBytes(document.text)
    }

    /// Converts an error response for a tile to the format of OGC services. The status and the other headers do not
    /// change.
    static func reporting(_ response: Response) -> Response {
        guard response.status.rawValue >= 400 else { return response }
        let isNoTile = response.status == .notFound
        let report = ExceptionReport(
            code: isNoTile ? .tileOutOfRange : .notApplicable,
            text: isNoTile ? "The layer has no tile at these coordinates." : "\(response.status.reason).")
        var answer = response
        answer.body = report.body
        let fields = FieldText(response.fields).without("Content-Type")
        answer.fields = SharedBytes(
            fields.array + contentType.array + (isNoTile ? Self.fields(problem: "no-tile").array : []))
        answer.common = isNoTile ? CommonFields.noTile : response.common
        return answer
    }
}
