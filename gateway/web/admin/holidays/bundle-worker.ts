// Bundles the thread that looks up holidays with its package, most of which it does not need: 1.5 MB instead of 45. A
// part of the build; only tests from the sources do it when they run.
import { buildSync } from 'esbuild'

/** Returns the script; writes it if there is a file for it. */
export function bundleWorker(source: string, outfile?: string): string {
  const { outputFiles } = buildSync({
    entryPoints: [source],
    outfile: outfile ?? 'worker.cjs',
    bundle: true,
    platform: 'node',
    format: 'cjs',
    target: 'node20',
    minify: true,
    legalComments: 'eof',
    write: outfile !== undefined,
  })
  return outputFiles?.[0]?.text ?? ''
}
