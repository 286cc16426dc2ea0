// Bundles the scripts of the pages for browsers, and takes the font from its package. A part of the build, which needs
// packages that are not there later; only tests from the sources do it when they run.
import { readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { buildSync } from 'esbuild'

const FONTS = ['inter-latin-wght-normal.woff2', 'inter-latin-ext-wght-normal.woff2']

const SCRIPTS = ['dashboard.ts', 'form-keeper.ts', 'screen.ts', 'screen-worker.ts']

type Bundled = { path: string; contents: Uint8Array }

/** The fonts, the scripts, and german.js, which only German pages load. */
export function bundleAssets(sources: string, target: string, { write }: { write: boolean }): Bundled[] {
  const { outputFiles = [] } = buildSync({
    entryPoints: SCRIPTS.map((name) => join(sources, name)),
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
  const { resolve } = createRequire(import.meta.url)
  const fonts = FONTS.map((name) => ({
    path: join(target, name),
    contents: readFileSync(resolve(`@fontsource-variable/inter/files/${name}`)),
  }))
  if (write) for (const { path, contents } of fonts) writeFileSync(path, contents)
  return [...outputFiles, ...fonts]
}
