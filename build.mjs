// Makes dist/ of the sources, where they are developed or an image is built: never where Berth is installed to run
// (`npm ci --omit=dev`), whose dist/ is left as it is. `--clean` begins from nothing, so that no file of an older version
// stays behind. `--tests` builds the tests too. `--if-developed` is for `npm start`, which runs what was built before where it
// cannot build. Types are not checked here: `npm run check` does that.
import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, readFileSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'

const root = import.meta.dirname
const asked = (option) => process.argv.includes(option)

if (isDeveloped()) process.exit(build())
if (!asked('--if-developed') || !existsSync(join(root, 'dist'))) {
  console.error('The packages that build Berth are not installed. Run: npm ci && npm run build')
  process.exit(1)
}

// The compiler alone proves nothing: a package that runs may ask for it, and it knows no types then.
function isDeveloped() {
  const { devDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  return Object.keys(devDependencies).every((name) => existsSync(join(root, 'node_modules', name)))
}

function build() {
  const compiler = join(dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'bin/tsc')
  if (asked('--clean')) rmSync(join(root, 'dist'), { recursive: true, force: true })
  if (asked('--tests')) rmSync(join(root, 'dist/test'), { recursive: true, force: true })
  const project = asked('--tests') ? 'tsconfig.test.json' : 'tsconfig.build.json'
  const { status } = spawnSync(process.execPath, [compiler, '-p', project], { cwd: root, stdio: 'inherit' })
  // What is served, or read by tests, as it is.
  const isData = (file) => !file.endsWith('.ts')
  for (const folder of [
    'gateway/dashboard/assets',
    'gateway/dashboard/language',
    'gateway/openapi/examples',
    'shared/messages',
    ...(asked('--tests') ? ['test'] : []),
  ])
    if (status === 0)
      cpSync(join(root, folder), join(root, 'dist', folder), { recursive: true, filter: isData })
  return status ?? 1
}
