import Settings

/// Judges what only the code that reads the source can judge: a URL template, an MBTiles or a GeoJSON file. Each text
/// of the result is a problem of its own; one that begins with the name of a key of the source and a colon is about that key.
public typealias SourceValidator = (LayerSource) -> [String]

extension LayerSource {
    /// Reads where a layer's tiles come from; nil where that does not become clear.
    static func read(_ section: inout MappingReader, _ validate: SourceValidator) -> LayerSource? {
        let found = SourceKey.allCases.filter { section.has($0.rawValue) }
        guard found.count == 1, let key = found.first else {
            if found.isEmpty { section.complain("a layer needs a url, a generator, an mbtiles file or a geojson file") }
            for other in found.dropFirst() {
                section.refuse(other.rawValue, "a layer has one source, and this one has \(found[0].wording) already")
            }
            section.acknowledge(SourceKey.allCases.flatMap { [$0.rawValue] + $0.ownKeys })
            return nil
        }
        for other in SourceKey.allCases where other != key {
            // Some keys belong to more than one source.
            for foreign in other.ownKeys where !key.ownKeys.contains(foreign) && section.isSound(foreign) {
                section.refuse(foreign, "belongs to \(other.wording), and this layer has \(key.wording)")
            }
        }
        switch key {
        case .url: return .url(URLSource.read(&section, validate))
        case .generator: return GeneratorSource.read(&section).map(LayerSource.generator)
        case .mbtiles: return mbtiles(&section, validate)
        case .geojson: return .geojson(GeoJSONSource.read(&section, validate))
        }
    }

    private static func mbtiles(_ section: inout MappingReader, _ validate: SourceValidator) -> LayerSource {
        var path = ""
        section.value("mbtiles", .filledText("a file"), into: &path)
        let source = LayerSource.mbtiles(path: path)
        if section.isSound("mbtiles") {
            for message in validate(source) { section.complain("mbtiles", message) }
        }
        return source
    }
}

/// The keys of which a layer has exactly one.
private enum SourceKey: String, CaseIterable {
    case url, generator, mbtiles, geojson

    /// The keys that only a layer of this source can have.
    var ownKeys: [String] {
        switch self {
        case .url:
            [
                "values", "subdomains", "headers", "userAgent", "referer", "scheme", "allowPrivate", "caFile",
                "clientCertificate", "rejectSHA256",
            ]
        case .generator: GeneratorSource.keys
        case .mbtiles: []
        case .geojson: GeoJSONSource.keys
        }
    }

    var wording: String {
        switch self {
        case .url: "a url"
        case .generator: "a generator"
        case .mbtiles: "an mbtiles file"
        case .geojson: "a geojson file"
        }
    }
}

extension URLSource {
    fileprivate static func read(_ section: inout MappingReader, _ validate: SourceValidator) -> URLSource {
        var source = URLSource(template: "")
        section.value("url", .filledText("a URL template"), into: &source.template)
        section.value("userAgent", .headerValue, into: &source.userAgent)
        section.value("referer", .headerValue, into: &source.referer)
        section.value("scheme", .choice, into: &source.scheme)
        section.value("allowPrivate", .boolean, into: &source.allowPrivate)
        section.value("caFile", .filledText("a file"), into: &source.caFile)
        source.readClientCertificate(&section)
        source.readRejected(&section)
        source.readSubdomains(&section)
        source.readValues(&section)
        source.readHeaders(&section)
        if ["url", "values", "subdomains", "caFile", "clientCertificate"].allSatisfy(section.isSound) {
            for message in validate(.url(source)) {
                let key = ["caFile", "clientCertificate"].first { message.hasPrefix("\($0): ") }
                section.complain(key ?? "url", key.map { String(message.dropFirst($0.count + 2)) } ?? message)
            }
        }
        return source
    }

    /// Two files, or one that has both.
    private mutating func readClientCertificate(_ section: inout MappingReader) {
        guard section.has("clientCertificate") else { return section.acknowledge(["clientCertificate"]) }
        if section.isScalar("clientCertificate") {
            let path = section.value("clientCertificate", ValueRule<String>.filledText("a file"))
            clientCertificate = path.map { ClientCertificate(certificate: $0) }
            return
        }
        section.mapping("clientCertificate") { section in
            let isMapping = section.problems.isEmpty
            let certificate = section.value("certificate", ValueRule<String>.filledText("a file"))
            let key = section.value("key", ValueRule<String>.filledText("a file"))
            for key in ["certificate", "key"] where isMapping && !section.has(key) {
                section.complain("\(key) is missing")
            }
            clientCertificate = certificate.map { ClientCertificate(certificate: $0, key: key) }
        }
    }

    /// A list of hashes, or one.
    private mutating func readRejected(_ section: inout MappingReader) {
        if section.isScalar("rejectSHA256") {
            if let hash = section.value("rejectSHA256", .sha256) { rejectSHA256 = [hash] }
        } else {
            section.list("rejectSHA256", into: &rejectSHA256) { _ in .sha256 }
        }
    }

    /// A list of labels, or a text whose letters are the labels.
    private mutating func readSubdomains(_ section: inout MappingReader) {
        if section.isScalar("subdomains") {
            var letters = ""
            section.value("subdomains", .hostLabel, into: &letters)
            if letters.utf8.contains(UInt8(ascii: "-")) {
                section.complain("subdomains", "expected letters such as abc, or a list, found \(quoted(letters))")
            }
            subdomains = letters.map(String.init)
        } else {
            section.list("subdomains", count: 1...64, into: &subdomains) { _ in .hostLabel }
        }
    }

    private mutating func readValues(_ section: inout MappingReader) {
        section.mapping("values") { section in
            for name in section.keys {
                var value = ""
                section.value(name, .anything, into: &value)
                values[name] = value
                let isName =
                    name.utf8.first.map(isLetter) == true
                    && name.utf8.allSatisfy { isLetter($0) || isDigit($0) || $0 == UInt8(ascii: "_") }
                if URLSource.builtInPlaceholders.contains(name) {
                    section.refuse(name, "{\(name)} is built in and cannot be given another value")
                } else if !isName {
                    section.refuse(name, "a placeholder's name is a letter, then letters, digits and _")
                }
            }
        }
    }

    private mutating func readHeaders(_ section: inout MappingReader) {
        let hasUserAgent = section.has("userAgent")
        let hasReferer = section.has("referer")
        section.mapping("headers") { section in
            guard section.keys.count <= 64 else { return section.complain("expected at most 64 headers") }
            for name in section.keys {
                var value = ""
                section.value(name, .headerValue, into: &value)
                let earlier = headers.map(\.name)
                headers.append(Header(name: name, value: value))
                let isToken = { (byte: UInt8) in
                    isLetter(byte) || isDigit(byte) || "!#$%&'*+-.^_`|~".utf8.contains(byte)
                }
                if name.isEmpty || !name.utf8.allSatisfy(isToken) {
                    section.refuse(name, "a header's name is letters, digits and !#$%&'*+-.^_`|~")
                } else if name.isHeader(in: URLSource.connectionHeaders) {
                    section.refuse(name, "the connection decides this header, it cannot be set")
                } else if hasUserAgent && name.isHeader(in: ["User-Agent"]) {
                    section.refuse(name, "userAgent sets this header already")
                } else if hasReferer && name.isHeader(in: ["Referer"]) {
                    section.refuse(name, "referer sets this header already")
                } else if name.isHeader(in: earlier) {
                    section.refuse(name, "the header is given more than once, letter case aside")
                }
            }
        }
    }

    /// Headers about the connection or the framing of a message (RFC 9110 7.6.1, 8.6; RFC 9112).
    private static let connectionHeaders = [
        "Connection", "Content-Length", "Expect", "Host", "Keep-Alive", "Proxy-Connection", "TE", "Trailer",
        "Transfer-Encoding", "Upgrade",
    ]
}

extension String {
    fileprivate func isHeader(in names: [String]) -> Bool {
        names.contains { $0.utf8.map(asciiLowercased) == utf8.map(asciiLowercased) }
    }
}
