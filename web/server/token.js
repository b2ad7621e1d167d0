/**
 * The token that a page begins with, of what its address holds (`readHash`): the token itself, or what the server gives for a code,
 * once and within a minute. Null where there is neither, or the code is spent: then the page asks for the token when it needs it.
 */
export async function startingToken({ token, code }, server) {
  if (token !== null) return token;
  if (code === null) return null;
  try {
    return await server.tokenFor(code);
  } catch {
    // As after a reload of the address from the history.
    return null;
  }
}
