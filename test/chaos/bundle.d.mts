/** Bundles `{name}.ts` of this folder into `outDir`; answers the path of each program by its name. */
export function bundlePrograms<Name extends string>(
  outDir: string,
  names: readonly Name[],
): Promise<Record<Name, string>>;
