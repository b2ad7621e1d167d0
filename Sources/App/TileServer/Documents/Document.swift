import Bytes
import HTTPServer
import TileCache

/// A document with its two responses: the response with the content, and 304 for clients that have the content already.
/// Clients store a document and revalidate it before each use.
struct Document: Sendable {
    private let etag: SharedBytes
    private let whole: Response
    private let unchanged: Response

    /// Makes the responses. `fields` describes `body`. The entity tag is computed here. `lastModified` is the time of
    /// the data behind the document, in seconds since 1970. Only the entity tag decides about 304, because the
    /// configuration changes the document too.
    init(_ body: SharedBytes, lastModified: Int? = nil, fields: [(name: String, value: String)]) {
        let etag = ContentHash(of: body).entityTag
        self.etag = SharedBytes(etag)
        let modified = lastModified.map { [("Last-Modified", HTTPDate.format($0))] } ?? []
        whole = Response(
            .ok, fields: FieldLines.make([("ETag", etag)] + modified + fields), common: CommonFields.open,
            caching: Caching(.noCache), body: body)
        var unchanged = whole
        (unchanged.status, unchanged.body) = (.notModified, .empty)
        self.unchanged = unchanged
    }

    /// Size of the content in bytes.
    var size: Int { whole.body.count }

    /// Returns the content, or 304 if the client has it already.
    func answer(to request: Request) -> Response {
        Conditions(request.fields).isUnchanged(etag: etag.buffer, lastModified: nil) ? unchanged : whole
    }
}
