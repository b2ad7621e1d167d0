// @ts-check
/** The number modulo `modulus`, in [0, modulus), never -0; the number is finite. */
export function modulo(number, modulus) {
  const remainder = number % modulus;
  const positive = remainder < 0 ? remainder + modulus : remainder + 0;
  // A tiny negative remainder rounds up to the modulus itself.
  return positive < modulus ? positive : 0;
}

/** The number, or the nearer end where it is outside low…high. */
export function clamp(number, low, high) {
  return Math.min(Math.max(number, low), high);
}

/** A longitude in degrees: what lies within ±180 unchanged, all else in [-180, 180) (docs/spec/model.md Q7). */
export function wrapLongitude(longitude) {
  if (Math.abs(longitude) <= 180) return longitude;
  const wrapped = modulo(longitude, 360);
  return wrapped >= 180 ? wrapped - 360 : wrapped;
}

/** A difference of worlds as the nearest copy has it, in [-0.5, 0.5) (docs/spec/model.md 9.1, ruling 11). */
export function wrapToHalfWorld(difference) {
  return difference - Math.floor(difference + 0.5);
}

/** Degrees in radians. */
export function radians(degrees) {
  return (degrees * Math.PI) / 180;
}

/** The sine and cosine of `degrees`, without rounding at right angles: a map turned by 90° is the same map. */
export function direction(degrees) {
  switch (degrees) {
    case 0: return { sine: 0, cosine: 1 };
    case 90: return { sine: 1, cosine: 0 };
    case 180: return { sine: 0, cosine: -1 };
    case 270: return { sine: -1, cosine: 0 };
    default: return { sine: Math.sin(radians(degrees)), cosine: Math.cos(radians(degrees)) };
  }
}
