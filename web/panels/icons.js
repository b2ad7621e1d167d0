// @ts-check
// Lines on a square of 24 × 24.

export const layers = "M12 3 2.5 8.5 12 14l9.5-5.5zM2.5 13 12 18.500l9.500-5.500M2.500 17 12 22.500l9.500-5.500";
export const camera = "M4 8h3l2-3h6l2 3h3v11H4zM12 10a3.500 3.500 0 1 0 0 7 3.500 3.500 0 0 0 0-7z";
export const tiles = "M4 4h7v7H4zM13 4h7v7h-7zM4 13h7v7H4zM13 13h7v7h-7z";
export const plus = "M12 5v14M5 12h14";
export const minus = "M5 12h14";
export const compass = "M12 3l4 9h-8zM12 21l-4-9h8z";
export const tilt = "M3 17l4-9h10l4 9zM5 12.500h14M12 8v9";
export const up = "M6 15l6-6 6 6";
export const down = "M6 9l6 6 6-6";
export const close = "M6 6l12 12M18 6L6 18";
export const box = "M4 8V4h4M16 4h4v4M20 16v4h-4M8 20H4v-4M9 9h6v6H9z";
export const fit = "M4 9V4h5M15 4h5v5M20 15v5h-5M9 20H4v-5";
export const target = "M12 5a7 7 0 1 0 0 14 7 7 0 0 0 0-14zM12 2v5M12 17v5M2 12h5M17 12h5";
export const about = "M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18zM12 11v6M12 7v.01";
export const link = "M10 14a4 4 0 0 0 6 .500l3-3a4 4 0 0 0-5.700-5.700l-1.500 1.500M14 10a4 4 0 0 0-6-.500l-3 3a4 4 0 0 0 5.700 5.700l1.500-1.500";
export const search = "M11 4a7 7 0 1 0 0 14 7 7 0 0 0 0-14zM16 16l5 5";
export const position = "M21 3 3 10.500l7.500 3L13.500 21z";
