// @ts-check
/**
 * Functions that tell who can open a URL of the server. They read only the URL, and know nothing about the network.
 */

/**
 * Reports whether only the server's own machine can open a URL. 0.0.0.0 and [::] are addresses to listen on, which
 * clients of the same machine can open too.
 *
 * @param {URL} url
 */
export function isLoopback({ hostname }) {
  return /^(localhost|.+\.localhost|127\.[\d.]+|0\.0\.0\.0|\[::1?\])\.?$/.test(hostname);
}

/**
 * Reports whether `NSAllowsLocalNetworking` of iOS allows plain HTTP to a URL: an IP address, a name that ends in
 * `.local`, or a name without a dot.
 *
 * @param {URL} url
 */
function isLocalToIOS({ hostname }) {
  return /^(\[.*\]|\d+\.\d+\.\d+\.\d+|[^.]+|.+\.local)\.?$/.test(hostname);
}

/**
 * Returns what a user must know before a program can open a URL of the server, as sentences in Markdown. `phones` are
 * the systems that forbid the program plain HTTP, or undefined for a program that runs on no phone.
 *
 * @param {{ phones?: string[] }} client
 * @param {URL} url
 */
export function hintsFor({ phones }, url) {
  if (!phones) return [];
  if (isLoopback(url)) {
    return ["A phone cannot open this address: it is this computer's own. Use the computer's address in the network, such as"
      + ` \`http://192.168.1.20${url.port ? `:${url.port}` : ""}\`, and start the server with \`--host 0.0.0.0\`.`];
  }
  return url.protocol === "http:" ? phones.map((system) => plainHTTP[system](url)) : [];
}

/** What an app must do for plain HTTP, by system. */
const plainHTTP = {
  // https://developer.apple.com/documentation/bundleresources/information-property-list/nsapptransportsecurity
  iOS: (url) => (isLocalToIOS(url)
    ? "iOS blocks plain HTTP. In the app's `Info.plist`, set `NSAllowsLocalNetworking` under `NSAppTransportSecurity`, and"
      + " `NSLocalNetworkUsageDescription`. Or use HTTPS."
    : "iOS blocks plain HTTP. Use HTTPS."),
  // https://developer.android.com/privacy-and-security/security-config#CleartextTrafficPermitted
  Android: () => "Android blocks plain HTTP. In the app's network security configuration, set `cleartextTrafficPermitted` for this address."
    + " Or use HTTPS.",
};
