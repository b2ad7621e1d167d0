import HTTPClient

extension PMTilesSource {
    /// The file or URL from which a layer reads its archive. An object in an S3 store has a URL too.
    package enum OpenedPlace: Sendable {
        case file(path: String)
        /// An http or https URL. `authorization` returns header fields that each request must have, for example an S3
        /// signature. Nil: requests need no such fields.
        case remote(url: String, authorization: RemoteFile.Authorization?)
    }

    /// True if the archive is an object in an S3 store.
    package var isObject: Bool { place == .s3 }

    /// Returns the file or URL from which the layer reads its archive. The credentials of an S3 store come from the
    /// settings, or else from the environment variables in `environment`. Throws `S3LocationError` for an invalid
    /// location, and `AWSCredentialsError` for invalid or incomplete credentials.
    package func place(in environment: [String: String]) throws -> OpenedPlace {
        switch place {
        case .file: return .file(path: location)
        case .http: return .remote(url: location, authorization: nil)
        case .s3:
            let (object, credentials) = try s3(environment)
            guard let credentials else { return .remote(url: object.url, authorization: nil) }
            let signature = AWSSignature(credentials: credentials, region: object.region)
            return .remote(url: object.url) { time in signature.fields(for: object, at: time) ?? [] }
        }
    }
}
