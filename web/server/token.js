// @ts-check
/**
 * Returns the start token of a page, from its address (`readHash`). The address contains the token itself, or a code,
 * for which the server gives the token once within a minute. Returns null if the address has neither, or if the code is
 * used up. Then the page asks the user when it needs the token.
 */
export async function startingToken({ token, code }, server) {
  if (token !== null) return token;
  if (code === null) return null;
  try {
    return await server.tokenFor(code);
  } catch {
    // The code is used up, for instance because the address came from the history.
    return null;
  }
}
