/** Something that Postroom promises did not hold; every other error of the driver only spoils a seed, which begins anew. */
export class BrokenPromise extends Error {
  override readonly name = 'BrokenPromise';
}
