// @ts-check
/** Returns a finite number modulo `modulus`, in [0, modulus), never -0. */
export function modulo(number, modulus) {
  const remainder = number % modulus;
  const positive = remainder < 0 ? remainder + modulus : remainder + 0;
  // A tiny negative remainder rounds up to the modulus itself.
  return positive < modulus ? positive : 0;
}

/** Returns the number, or the nearer end if it is outside low…high. */
export function clamp(number, low, high) {
  return Math.min(Math.max(number, low), high);
}

/** Returns a longitude within ±180 unchanged, and any other longitude in [-180, 180) (docs/spec/model.md Q7). */
export function wrapLongitude(longitude) {
  if (Math.abs(longitude) <= 180) return longitude;
  const wrapped = modulo(longitude, 360);
  return wrapped >= 180 ? wrapped - 360 : wrapped;
}

/** Returns a difference in worlds for the nearest copy, in [-0.5, 0.5) (docs/spec/model.md 9.1, ruling 11). */
export function wrapToHalfWorld(difference) {
  return difference - Math.floor(difference + 0.5);
}

/** Converts degrees to radians. */
export function radians(degrees) {
  return (degrees * Math.PI) / 180;
}

/** Returns the sine and cosine of `degrees`, exact at right angles. So a map turned by 90° is the same map. */
export function direction(degrees) {
  switch (degrees) {
    case 0: return { sine: 0, cosine: 1 };
    case 90: return { sine: 1, cosine: 0 };
    case 180: return { sine: 0, cosine: -1 };
    case 270: return { sine: -1, cosine: 0 };
    default: return { sine: Math.sin(radians(degrees)), cosine: Math.cos(radians(degrees)) };
  }
}
