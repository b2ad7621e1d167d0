import CLibcurl

/// Initializes libcurl once for the whole process, and stores libcurl's paths of the system's certificate authorities.
enum Libcurl {
    /// True if libcurl is initialised. Read this before any call that creates a handle or a list for a
    /// transfer: libcurl must be initialised once per process.
    static let isReady: Bool = curl_start() == CURLE_OK

    /// Built-in paths where libcurl looks for the system's certificate authorities.
    static let authorityFile = builtIn(CURLINFO_CAINFO)
    static let authorityDirectory = builtIn(CURLINFO_CAPATH)

    private static func builtIn(_ info: CURLINFO) -> String? {
        guard isReady, let easy = curl_easy_init() else { return nil }
        defer { curl_easy_cleanup(easy) }
        var text: UnsafeMutablePointer<CChar>?
        curl_get_string(easy, info, &text)
        return text.map { String(cString: $0) }
    }
}
