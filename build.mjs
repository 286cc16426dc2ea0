// Brings dist/ up to date. Where the compiler is not installed (production, `npm ci --omit=dev`)
// what was built before is used as it is. `--clean` begins from nothing, so that no file of an
// older version stays behind. `--tests` builds the tests too, and leaves the types to `npm run check`.
import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'

const root = import.meta.dirname
const compiler = findCompiler()

if (compiler) {
  if (process.argv.includes('--clean')) rmSync(join(root, 'dist'), { recursive: true, force: true })
  const withTests = process.argv.includes('--tests')
  if (withTests) rmSync(join(root, 'dist/test'), { recursive: true, force: true })
  const project = withTests ? 'tsconfig.test.json' : 'tsconfig.build.json'
  const { status } = spawnSync(process.execPath, [compiler, '-p', project], { cwd: root, stdio: 'inherit' })
  // What is served, or read by tests, as it is.
  const isData = (file) => !file.endsWith('.ts')
  for (const folder of ['gateway/dashboard/assets', ...(withTests ? ['test'] : [])])
    if (status === 0)
      cpSync(join(root, folder), join(root, 'dist', folder), { recursive: true, filter: isData })
  process.exit(status ?? 1)
}
if (!existsSync(join(root, 'dist'))) {
  console.error('Berth is not built, and the compiler is not installed. Run: npm ci && npm run build')
  process.exit(1)
}

function findCompiler() {
  try {
    return join(dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'bin/tsc')
  } catch {
    return undefined
  }
}
