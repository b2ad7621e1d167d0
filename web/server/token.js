// @ts-check
/**
 * The token that a page begins with, from its address (`readHash`): the token itself, or the token that the server gives for a
 * code, once and within a minute. Null if there is neither, or the code is used up: then the page asks for the token when it
 * needs it.
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
