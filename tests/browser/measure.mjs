// Measurements on a machine that other programs use, too.
const kTries = 3;

// The least of up to three measurements; the first that is below `bound`.
export async function leastOf(bound, measure) {
  let least = Infinity;
  for (let i = 0; i < kTries && !(least < bound); i += 1) least = Math.min(least, await measure());
  return least;
}

// The value that nine in ten of these are not above.
export const nineInTen = (values) => [...values].sort((a, b) => a - b)[Math.ceil(values.length * 0.9) - 1];
