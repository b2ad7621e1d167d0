import Keys
import Tiles

extension URLSource: SourceSettings {
    package static let key = "url"
    package static let wording = "a url"
    package static var tileSizes: ValueRule<Int> { .anyTileSize }

    package var isLocal: Bool { template.utf8.starts(with: "file:".utf8) }

    /// What decides which tiles come; who asks for them, and from which of equal hosts, does not.
    package var identity: [String] {
        [template, scheme.rawValue]
            + values.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
            + headers.map { "\($0.name.lowercased()): \($0.value)" }.sorted()
    }

    package func problems() -> [SourceProblem] {
        do throws(URLTemplateError) {
            let template = try URLTemplate(self)
            let missing = template.scheme == .file ? template.missingDirectory : nil
            return missing.map { [SourceProblem(key: Self.key, message: $0)] } ?? TLSFiles.problems(in: self)
        } catch {
            guard case .unknownPlaceholder(let name) = error, URLTemplateError.hint(for: name).isEmpty else {
                return [SourceProblem(key: Self.key, message: "\(error)")]
            }
            let known = (URLTemplate.placeholders + values.keys.sorted()).map { "{\($0)}" }.joined(separator: " ")
            return [SourceProblem(key: Self.key, message: "\(error); known are \(known)")]
        }
    }
}

extension URLTemplate {
    /// The template that the settings describe.
    package init(_ source: URLSource) throws(URLTemplateError) {
        try self.init(
            source.template, values: source.values, subdomains: source.subdomains, isTMS: source.scheme == .tms)
    }
}

extension TLSFiles {
    /// The files that the settings name.
    package init(_ source: URLSource) {
        self.init(
            authorities: source.caFile, certificate: source.clientCertificate?.certificate,
            key: source.clientCertificate?.key)
    }

    fileprivate static func problems(in source: URLSource) -> [SourceProblem] {
        let files = TLSFiles(source)
        let checks = [
            ("caFile", files.authorities, files.readAuthorities),
            ("clientCertificate", files.certificate, files.readKey),
        ]
        return checks.compactMap { key, path, read in
            guard path != nil else { return nil }
            guard source.template.lowercased().hasPrefix("https:") else {
                return SourceProblem(key: key, message: "is for an https url, and this one is none")
            }
            do {
                _ = try read()
                return nil
            } catch {
                return SourceProblem(key: key, message: "\(error)")
            }
        }
    }
}
