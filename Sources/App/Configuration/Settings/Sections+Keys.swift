import Keys

extension ServerSettings: KeyedSettings {
    package static let formerKeys = ["accessLog": "log: { access: all }"]

    package static let keys: [Key<ServerSettings>] = [
        Key(
            "host", \.host, .host,
            "listen address: IPv4, IPv6 or `localhost`; `0.0.0.0` is every IPv4 address. `TILESERVER_HOST`"),
        Key(
            "port", \.port, .integer(0...65_535, orNone: "off"),
            "TCP port of plain HTTP; 0 takes any free port, `off` needs `https`. `TILESERVER_PORT`"),
        Key("https", optionalSection: \.https, "[HTTPS](../guides/https.md) at a port of its own"),
        Key(
            "publicURL", optional: \.publicURL, .publicURL, takesNull: true,
            "public base URL that clients use, such as `https://tiles.example.org/maps`. `TILESERVER_PUBLIC_URL`"
        ),
        Key(
            "trustedProxies", list: \.trustedProxies, of: .addressBlock,
            "addresses or blocks (`10.0.0.0/8`) of proxies whose `X-Forwarded-For`, `-Host`, `-Proto`, "
                + "`-Prefix` and `Forwarded` (only `for`) are trusted"),
        Key("reactors", \.reactors, .integer(0...256), "number of event loops; 0 is one for each core"),
        Key(
            "memory", optional: \.memory, .size(32 << 20...1 << 41), takesNull: true,
            "[memory limit of the process](../guides/limits.md#memory); unset: 1.25 × `cache.memory` + 256 "
                + "MiB, at most 90 % of the control group's limit"),
        Key(
            "watch", \.watch, .boolean,
            "whether the server [reads this file again](../guides/run.md#change-the-configuration) when "
                + "it changes"),
        Key(
            "drainDelay", \.drainDelay, .duration(.zero...Duration.seconds(3_600)),
            "time after SIGTERM in which `/ready` answers 503 [before the server stops "
                + "listening](../guides/fleet.md#rolling-restarts)"),
        Key(
            "h2c", \.h2c, .boolean,
            "whether `port` also accepts [HTTP/2 without TLS](../guides/http2.md#behind-a-proxy) (prior knowledge), "
                + "which HAProxy, Envoy and Cloud Run can send"),
        Key("limits", section: \.limits, "HTTP limits and timeouts, for each connection and in total"),
    ]

    package func check(_ section: inout MappingReader) {
        let environment = section.context.substitution
        let hasHTTPS = https != nil || environment.isSet("TILESERVER_HTTPS_CERTIFICATE")
        if port == nil, !hasHTTPS, section.isSound("https"), !environment.isSet("TILESERVER_PORT") {
            section.complain("port", "off needs server.https: without both, the server would listen nowhere")
        }
        guard let https, port == nil, !environment.isSet("TILESERVER_PORT") else { return }
        if https.redirect { section.warn("port", "server.https.redirect has no effect if server.port is off") }
        if https.challenges != nil {
            section.warn("port", "server.https.challenges has no effect if server.port is off")
        }
    }
}

extension AdminSettings: KeyedSettings {
    package static let keys: [Key<AdminSettings>] = [
        Key(
            "token", schema: ValueRule<String>.token.schema,
            "token for the admin routes, 16 to 512 bytes of visible ASCII; `openssl rand -hex 16` makes one. "
                + "`TILESERVER_ADMIN_TOKEN`", read: { $0.value("token", .token, into: &$1.token) }),
        Key(
            "hosts", list: \.hosts, of: .hostName,
            "more host names, without a port, that admin requests may use, such as a name in a container network"),
    ]
}
