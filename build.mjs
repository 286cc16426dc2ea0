// Builds dist/ from the sources, for development or an image. Never runs where Berth is only installed (`npm
// ci --omit=dev`): the present dist/ stays. `--clean` starts from scratch, so that no old file remains.
// `--tests` also builds the tests and the package of client/. `--if-needed` is for `npm start`: it keeps a build of the same sources, and
// the last one where nothing can be built. Does not check types: `npm run check` does.
import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'

const root = import.meta.dirname
const stamp = join(root, 'dist/.sources')
const ASSETS = 'gateway/web/browser'
const hasOption = (option) => process.argv.includes(option)
const readJson = (name) => JSON.parse(readFileSync(join(root, name), 'utf8'))

if (isDeveloped()) process.exit(hasOption('--if-needed') && isUpToDate() ? 0 : await build())
if (!hasOption('--if-needed') || !existsSync(join(root, 'dist'))) {
  console.error('The packages that build Berth are not installed. Run: npm ci && npm run build')
  process.exit(1)
}

// Checks all dev dependencies: the compiler alone may come with a runtime package, without the types.
function isDeveloped() {
  const { devDependencies } = readJson('package.json')
  return Object.keys(devDependencies).every((name) => existsSync(join(root, 'node_modules', name)))
}

function isUpToDate() {
  return existsSync(stamp) && readFileSync(stamp, 'utf8') === describeSources()
}

/** Another text for each change of a file, its name or its time. */
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
  rmSync(stamp, { force: true })
  const project = hasOption('--tests') ? 'tsconfig.test.json' : 'tsconfig.build.json'
  const { status } = spawnSync(process.execPath, [compiler, '-p', project], { cwd: root, stdio: 'inherit' })
  if (status !== 0) return status ?? 1
  // Copies files that are served or read by tests as they are.
  const isData = (file) => !file.endsWith('.ts')
  for (const folder of [
    ASSETS,
    'gateway/web/locales',
    'commands/seed',
    'shared/messages',
    ...(hasOption('--tests') ? ['test'] : []),
  ])
    cpSync(join(root, folder), join(root, 'dist', folder), { recursive: true, filter: isData })
  await buildAssets()
  writeFileSync(stamp, sources)
  return hasOption('--tests') ? buildClient() : 0
}

// Its types and methods are made from the endpoints of this build.
function buildClient() {
  return spawnSync(process.execPath, ['client/build/main.mjs'], { cwd: root, stdio: 'inherit' }).status ?? 1
}

// The scripts and the font of the dashboard’s pages, and the thread that looks up holidays.
async function buildAssets() {
  const { bundleAssets } = await import('./dist/gateway/web/pages/page/bundle-assets.js')
  bundleAssets(join(root, ASSETS), join(root, 'dist', ASSETS), { write: true })
  const { bundleWorker } = await import('./dist/gateway/web/admin/holidays/bundle-worker.js')
  const worker = 'gateway/web/admin/holidays/holiday-worker'
  bundleWorker(join(root, `${worker}.ts`), join(root, 'dist', `${worker}.cjs`))
}
