// Builds dist/ from the sources, for development or an image. Never runs where Berth is only installed (`npm
// ci --omit=dev`): the present dist/ stays. `--clean` starts from scratch, so that no old file remains.
// `--tests` also builds the tests. `--if-developed` is for `npm start`, which falls back to the last build.
// Does not check types: `npm run check` does.
import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, readFileSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'

const root = import.meta.dirname
const hasOption = (option) => process.argv.includes(option)

if (isDeveloped()) process.exit(build())
if (!hasOption('--if-developed') || !existsSync(join(root, 'dist'))) {
  console.error('The packages that build Berth are not installed. Run: npm ci && npm run build')
  process.exit(1)
}

// Checks all dev dependencies: the compiler alone may come with a runtime package, without the types.
function isDeveloped() {
  const { devDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  return Object.keys(devDependencies).every((name) => existsSync(join(root, 'node_modules', name)))
}

function build() {
  const compiler = join(dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'bin/tsc')
  if (hasOption('--clean')) rmSync(join(root, 'dist'), { recursive: true, force: true })
  if (hasOption('--tests')) rmSync(join(root, 'dist/test'), { recursive: true, force: true })
  const project = hasOption('--tests') ? 'tsconfig.test.json' : 'tsconfig.build.json'
  const { status } = spawnSync(process.execPath, [compiler, '-p', project], { cwd: root, stdio: 'inherit' })
  // Copies files that are served or read by tests as they are.
  const isData = (file) => !file.endsWith('.ts')
  for (const folder of [
    'gateway/dashboard/client',
    'gateway/dashboard/locales',
    'gateway/openapi/examples',
    'shared/messages',
    ...(hasOption('--tests') ? ['test'] : []),
  ])
    if (status === 0)
      cpSync(join(root, folder), join(root, 'dist', folder), { recursive: true, filter: isData })
  return status ?? 1
}
