// Builds dist/ from the sources, for development or an image. Does nothing where Berth is only installed (`npm ci
// --omit=dev`): the existing dist/ stays. `--clean` starts from scratch, so that no old file remains. `--tests` also
// builds the tests and the package in client/. `--if-needed` is for `npm start`: it keeps a build of the same sources,
// and keeps the last build where nothing can be built. Types are checked by `npm run check`, not here.
import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'

const root = import.meta.dirname
const stampFile = join(root, 'dist/.sources')
const ASSETS_FOLDER = 'gateway/web/browser'
const hasOption = (option) => process.argv.includes(option)
const readJson = (name) => JSON.parse(readFileSync(join(root, name), 'utf8'))

if (hasDevDependencies()) process.exit(hasOption('--if-needed') && isUpToDate() ? 0 : await build())
if (!hasOption('--if-needed') || !existsSync(join(root, 'dist'))) {
  console.error('The packages that build Berth are not installed. Run: npm ci && npm run build')
  process.exit(1)
}

// Checks all dev dependencies: the compiler alone may be installed as the dependency of a runtime package, without the
// types.
function hasDevDependencies() {
  const { devDependencies } = readJson('package.json')
  return Object.keys(devDependencies).every((name) => existsSync(join(root, 'node_modules', name)))
}

function isUpToDate() {
  return existsSync(stampFile) && readFileSync(stampFile, 'utf8') === describeSources()
}

/** Returns a text that changes whenever the name or modification time of a source file changes. */
function describeSources() {
  const folders = readJson('tsconfig.build.json').include
  const files = folders.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true }).map((name) => join(folder, name)),
  )
  return [
    ...files,
    'build.mjs',
    'tsconfig.json',
    'tsconfig.build.json',
    'node_modules/typescript/package.json',
  ]
    .map((file) => `${file} ${statSync(join(root, file)).mtimeMs}`)
    .join('\n')
}

async function build() {
  const sources = describeSources()
  const compiler = join(dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'bin/tsc')
  if (hasOption('--clean')) rmSync(join(root, 'dist'), { recursive: true, force: true })
  if (hasOption('--tests')) rmSync(join(root, 'dist/test'), { recursive: true, force: true })
  rmSync(stampFile, { force: true })
  const project = hasOption('--tests') ? 'tsconfig.test.json' : 'tsconfig.build.json'
  const { status } = spawnSync(process.execPath, [compiler, '-p', project], { cwd: root, stdio: 'inherit' })
  if (status !== 0) return status ?? 1
  // Copies files that are served, or read by tests, unchanged.
  const isData = (file) => !file.endsWith('.ts')
  for (const folder of [
    ASSETS_FOLDER,
    'gateway/web/locales',
    'shared/messages',
    ...(hasOption('--tests') ? ['test'] : []),
  ])
    cpSync(join(root, folder), join(root, 'dist', folder), { recursive: true, filter: isData })
  await buildAssets()
  writeFileSync(stampFile, sources)
  return hasOption('--tests') ? buildClient() : 0
}

// The client's types and methods are generated from the endpoints of this build.
function buildClient() {
  return spawnSync(process.execPath, ['client/build/main.mjs'], { cwd: root, stdio: 'inherit' }).status ?? 1
}

// Bundles the scripts and styles of the pages, and the thread that looks up holidays.
async function buildAssets() {
  const { bundleAssets } = await import('./dist/gateway/web/pages/page/bundle-assets.js')
  bundleAssets(join(root, ASSETS_FOLDER), join(root, 'dist', ASSETS_FOLDER), { write: true })
  const { bundleWorker } = await import('./dist/gateway/web/admin/holidays/bundle-worker.js')
  const worker = 'gateway/web/admin/holidays/holiday-worker'
  bundleWorker(join(root, `${worker}.ts`), join(root, 'dist', `${worker}.cjs`))
}
