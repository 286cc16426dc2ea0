// Bundles the scripts of the pages for browsers. A part of the build, which needs packages that are not there
// later; only tests from the sources do it when they run.
import { join } from 'node:path'
import { buildSync } from 'esbuild'

/** dashboard.js, form-keeper.js, and german.js, which only German pages load. */
export function bundleScripts(sources: string, target: string, { write }: { write: boolean }) {
  const { outputFiles = [] } = buildSync({
    entryPoints: [join(sources, 'dashboard.ts'), join(sources, 'form-keeper.ts')],
    outdir: target,
    bundle: true,
    splitting: true,
    format: 'esm',
    // Without hashes, so that gateways of two versions find each other's chunks during a rollout.
    chunkNames: '[name]',
    target: 'es2022',
    charset: 'utf8',
    write,
  })
  return outputFiles
}
