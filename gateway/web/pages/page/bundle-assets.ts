// Bundles the scripts and styles of the pages for browsers. Runs during the build, because the package it needs is not
// installed later. Tests that run from the sources bundle when they start.
import { readFileSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { buildSync, transformSync } from 'esbuild'

const SCRIPTS = [
  'dashboard.ts',
  'floor-plan-editor/arrange-floor-plan.ts',
  'timeline.ts',
  'try-it.ts',
  'form-keeper.ts',
  'screen.ts',
  'screen-worker.ts',
]
/** The styles of each site. Later ones override earlier ones. */
const STYLES = {
  'all.css': [
    'tokens',
    'dashboard',
    'lists',
    'sheet',
    'today',
    'places',
    'bookings',
    'people',
    'day',
    'palette',
    'report',
  ],
  'my-all.css': ['tokens', 'dashboard', 'lists', 'sheet', 'places', 'my'],
  'screen-all.css': ['tokens', 'screen'],
}

type BundledFile = { path: string; contents: Uint8Array }

/** Returns the scripts, german.js, which only German pages load, and the styles of each site in one file. */
export function bundleAssets(sources: string, target: string, { write }: { write: boolean }): BundledFile[] {
  const { outputFiles = [] } = buildSync({
    entryPoints: SCRIPTS.map((name) => ({ in: join(sources, name), out: basename(name, '.ts') })),
    outdir: target,
    bundle: true,
    minify: true,
    splitting: true,
    format: 'esm',
    // The names of chunks have no hashes, so that gateways of two versions can serve each other's chunks
    // during a rollout.
    chunkNames: '[name]',
    target: 'es2022',
    charset: 'utf8',
    loader: { '.css': 'text' },
    write,
  })
  const styles = Object.entries(STYLES).map(([name, parts]) => {
    const text = parts.map((part) => readFileSync(join(sources, `${part}.css`), 'utf8')).join('')
    const { code } = transformSync(text, { loader: 'css', minify: true, charset: 'utf8' })
    return { path: join(target, name), contents: Buffer.from(code) }
  })
  if (write) for (const { path, contents } of styles) writeFileSync(path, contents)
  return [...outputFiles, ...styles]
}
