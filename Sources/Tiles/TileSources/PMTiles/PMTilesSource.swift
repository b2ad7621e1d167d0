import Foundation
import HTTPClient
import Keys
import TLS
import Tiles

/// The settings of a layer that serves tiles from a PMTiles archive (version 3). The archive is a local file, a file
/// on an HTTP server, or an object in an S3 store.
public struct PMTilesSource: Sendable, Equatable {
    /// The path of a file, an `http:` or `https:` URL, or `s3://bucket/key`. A relative path in a configuration file
    /// starts at the directory of that file. Any other relative path starts at the working directory.
    public var location = ""
    /// Header fields of each request. If a redirect leads to another origin, the request to this origin does not have
    /// these header fields.
    public var headers: [URLSource.Header] = []
    /// True if requests may go to a private or local address in two cases that are otherwise refused. The first case is
    /// a redirect to another origin. The second case is a host name that had a public address at the first connection.
    /// `URLSource.allowPrivate` has the same meaning.
    public var allowPrivate = false
    /// The path of a PEM file with certificate authorities for https. The server trusts these authorities in place of
    /// the system's authorities. Nil: the server trusts the system's authorities.
    public var caFile: String?
    /// The URL of an S3 store that is not Amazon S3. Nil: Amazon S3.
    public var endpoint: String?
    /// The region of the S3 store. Nil: the value of the environment variable `AWS_REGION`, or else of
    /// `AWS_DEFAULT_REGION`, or else `us-east-1`.
    public var region: String?
    /// True if the URL of the object has the bucket in its path, as in `https://host/bucket/key`. False if the URL has
    /// the bucket in its host name, as in `https://bucket.host/key`.
    public var pathStyle = false
    /// The identifier of the access key for the S3 store. Nil: the credentials come from the environment variables
    /// `AWS_ACCESS_KEY_ID`, `AWS_SECRET_ACCESS_KEY` and `AWS_SESSION_TOKEN`. If these variables are unset too, requests
    /// are not signed.
    public var accessKeyID: String?
    /// The secret of `accessKeyID`.
    public var secretAccessKey: String?
    /// The session token that belongs to `accessKeyID` if the credentials are temporary. Nil if the access key does not
    /// expire, or if the credentials come from the environment.
    public var sessionToken: String?

    /// Makes a source with default settings.
    public init(location: String) {
        self.location = location
    }

    package init() {}

    /// The kind of place that `location` names.
    enum Place: Equatable {
        case file
        case http
        case s3
    }

    var place: Place {
        let lowered = location.prefix(8).lowercased()
        if lowered.hasPrefix("http://") || lowered.hasPrefix("https://") { return .http }
        return lowered.hasPrefix("s3://") ? .s3 : .file
    }
}

extension PMTilesSource: KeyedSettings, SourceSettings {
    package static let key = "pmtiles"
    package static let wording = "a pmtiles archive"
    package static let describesItself = true
    package static let isWatched = true
    package static let keys: [Key<PMTilesSource>] = [
        Key(
            key, path: \.location, "a file or a URL",
            "PMTiles archive: a file, `https://…`, `http://…` or `s3://bucket/key`"),
        Key(
            "headers", schema: .headers(atMost: mostHeaders),
            "headers of every request; not sent to another origin after a redirect"
        ) { section, source in
            source.headers = section.headers("headers", atMost: mostHeaders, others: []).map(URLSource.Header.init)
        },
        Key(
            "allowPrivate", \.allowPrivate, .boolean,
            "whether a redirect, or a host that had a public address, may lead to a private or local address"),
        Key(
            "caFile", optional: \.caFile, .filledText("a file"), takesNull: true,
            "PEM file with the certificate authorities for `https:`, instead of the system's"
        ).locating(\.caFile),
        Key(
            "endpoint", optional: \.endpoint, .filledText("a URL"), takesNull: true,
            "URL of an S3 store such as MinIO, R2 or Ceph; unset: Amazon S3"),
        Key(
            "region", optional: \.region, .filledText("a region"), takesNull: true,
            "region of the S3 store; unset: `AWS_REGION`, `AWS_DEFAULT_REGION` or `us-east-1`"),
        Key(
            "pathStyle", \.pathStyle, .boolean,
            "whether the bucket stands in the path of S3 URLs and not in the host name; MinIO usually needs it"),
        Key(
            "accessKeyID", optional: \.accessKeyID, .filledText("an access key"), takesNull: true,
            "access key of the S3 store; unset: the key, secret and token of `AWS_ACCESS_KEY_ID`, "
                + "`AWS_SECRET_ACCESS_KEY` and `AWS_SESSION_TOKEN`, or requests are not signed"),
        Key(
            "secretAccessKey", optional: \.secretAccessKey, .filledText("a secret"), takesNull: true,
            "secret of `accessKeyID`"),
        Key(
            "sessionToken", optional: \.sessionToken, .filledText("a token"), takesNull: true,
            "token of `accessKeyID`, for temporary credentials"),
    ]

    private static let mostHeaders = 64

    package static var tileSizes: ValueRule<Int> { .anyTileSize }

    package var isLocal: Bool { place == .file }

    /// The settings that decide which archive the layer reads: the location, the settings of the S3 store and the
    /// headers. The S3 credentials are not part of the identity.
    package var identity: [String] {
        [location, endpoint ?? "", region ?? "", "\(pathStyle)"]
            + headers.map { "\($0.name.lowercased()): \($0.value)" }.sorted()
    }

    package mutating func check(_ section: inout MappingReader) {
        if place == .file, section.has(Self.key), section.isSound(Self.key) {
            location = section.located(location, for: Self.key)
        }
        reportProblems(
            &section,
            unlessUnsound: [Self.key, "endpoint", "region", "accessKeyID", "secretAccessKey", "sessionToken", "caFile"])
    }

    package func problems() -> [SourceProblem] {
        do {
            switch place {
            case .file: _ = try PMTilesFile(path: location)
            case .http:
                guard UpstreamURL.isValid(location) else {
                    return [SourceProblem(key: Self.key, message: "expected a valid http or https URL")]
                }
            case .s3: _ = try s3(ProcessInfo.processInfo.environment)
            }
            _ = try TLSFiles(authorities: caFile).readAuthorities()
        } catch let error as S3LocationError {
            return [SourceProblem(key: Self.key(of: error), message: "\(error)")]
        } catch let error as AWSCredentialsError {
            return [SourceProblem(key: accessKeyID == nil ? Self.key : "accessKeyID", message: "\(error)")]
        } catch let error as CertificateFileError {
            return [SourceProblem(key: "caFile", message: "\(error)")]
        } catch {
            return [SourceProblem(key: Self.key, message: "\(error)")]
        }
        return misplaced
    }

    private static func key(of error: S3LocationError) -> String {
        switch error {
        case .address, .bucket, .keyTooLong: key
        case .endpoint: "endpoint"
        case .region: "region"
        }
    }

    /// Warnings about settings that have no effect for the kind of archive in `location` (a local file, a URL or an S3
    /// object). For example, `region` has no effect for a local file.
    private var misplaced: [SourceProblem] {
        let forS3: [(String, Bool)] = [
            ("endpoint", endpoint != nil), ("region", region != nil), ("pathStyle", pathStyle),
            ("accessKeyID", accessKeyID != nil), ("secretAccessKey", secretAccessKey != nil),
            ("sessionToken", sessionToken != nil),
        ]
        let forHosts: [(String, Bool)] = [
            ("headers", !headers.isEmpty), ("allowPrivate", allowPrivate), ("caFile", caFile != nil),
        ]
        let wrong = (place == .s3 ? [] : forS3) + (place == .file ? forHosts : [])
        return wrong.filter(\.1).map { key, _ in
            SourceProblem(
                key: key, message: "has no effect: pmtiles is \(place == .file ? "a file" : "not an s3:// address")",
                isWarning: true)
        }
    }

    /// Returns the location of the object in an S3 store, and the credentials for this store. If the settings lack the
    /// region or the credentials, these values come from `environment`. If the credentials are nil, requests are not
    /// signed. Throws `S3LocationError` or `AWSCredentialsError`.
    func s3(_ environment: [String: String]) throws -> (location: S3Location, credentials: AWSCredentials?) {
        let location = try S3Location(
            location, endpoint: endpoint,
            region: region ?? AWSCredentials.region(in: environment) ?? S3Location.defaultRegion, pathStyle: pathStyle)
        let credentials = try AWSCredentials.chosen(
            accessKeyID: accessKeyID, secretAccessKey: secretAccessKey, sessionToken: sessionToken,
            environment: environment)
        return (location, credentials)
    }
}
